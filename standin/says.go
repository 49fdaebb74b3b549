package standin

// This file has the words, in many languages, by which pages say what they are, as data, and finds them in texts.

import (
	"bytes"
	"html"
	"strings"

	"kavosh/lib/words"
)

// meaning is what words mean; several may be added up.
type meaning uint16

const (
	thing     meaning = 1 << iota // what can be missing: a page, a file
	missing                       // that it is missing
	code                          // 404
	signIn                        // to sign in
	consent                       // to consent to something, before a page is shown
	accept                        // a button by which somebody consents
	cookies                       // what consent is asked for
	sale                          // that a domain is for sale, parked, or has no page yet
	challenge                     // that the reader may be a robot
	refusal                       // that the reader is not let in, or must wait
)

// claim is what a text says; several may be added up.
type claim uint16

const (
	saysCode    claim = 1 << iota // "404" or "not found" alone, which may be the name of something
	saysMissing                   // that a page is missing
	saysSignIn                    // …
	saysConsent
	saysAccept
	saysCookies
	saysSale
	saysChallenge
	saysRefusal
)

// phrases lists words by what they mean. Each phrase is found as whole words, in any spelling (lib/words).
var phrases = []struct {
	meaning meaning
	all     []string
}{
	{code, []string{"404", "error404", "404error"}},
	{thing, []string{
		"page", "pages", "webpage", "file", "url", "document", "resource", "content", "article", "post", "address", "site", "website", "topic", "thread", "entry", "record",
		"seite", "webseite", "datei", "dokument", "inhalt", "beitrag", "artikel", "adresse",
		"fichier", "contenu", "adresse url",
		"página", "pagina", "páginas", "archivo", "contenido", "documento", "recurso", "artículo", "sitio", "arquivo", "conteúdo", "ficheiro", "contenuto", "risorsa", "articolo",
		"webpagina", "bestand", "document", "sida", "sidan", "sidor", "filen", "innehållet", "side", "siden", "indholdet", "innholdet", "sivu", "sivua", "sivusto", "artikkeli",
		"strona", "strony", "stronę", "plik", "artykuł", "stránka", "stránku", "stránky", "soubor", "súbor", "článek", "oldal", "oldalt", "weboldal", "fájl", "pagină", "articolul", "conținutul",
		"страница", "страницы", "страницу", "страниц", "файл", "документ", "материал", "статья", "тема", "сторінка", "сторінки", "сторінку", "страницата", "страница",
		"stranica", "stranicu", "strana", "stranu", "stran", "strani", "spletna stran", "страна", "puslapis", "lapa", "leht", "lehekülge",
		"σελίδα", "σελίδας", "σελίδες", "sayfa", "sayfayı", "sayfaya", "dosya", "içerik", "səhifə", "pàgina",
		"صفحه", "صفحه ای", "صفحهای", "برگه", "برگه ای", "برگهای", "فایل", "مطلب", "محتوا", "محتوای", "نشانی", "ادرس", "سایت", "پست", "نوشته", "مقاله", "خبر",
		"الصفحة", "صفحة", "الملف", "المحتوى", "الموقع", "المقال", "הדף", "העמוד", "דף", "עמוד", "صفحہ", "पृष्ठ", "पेज", "halaman", "laman", "trang",
		"หน้า", "ページ", "ファイル", "記事", "页面", "頁面", "网页", "網頁", "页", "文件", "文章", "网站", "内容", "페이지", "문서", "파일",
	}},
	{missing, []string{
		"not found", "notfound", "cannot be found", "can not be found", "can t be found", "cant be found", "could not be found", "couldn t be found", "wasn t found", "not be found", "not been found",
		"does not exist", "doesn t exist", "doesnt exist", "do not exist", "don t exist", "did not exist", "not exist", "no longer exists", "no longer exist", "doesn t seem to exist", "does not seem to exist", "nonexistent", "non existent",
		"isn t available", "is not available", "not available", "no longer available", "unavailable", "isn t here", "is not here", "no longer here", "not here",
		"can t find", "cannot find", "can not find", "couldn t find", "could not find", "unable to find", "unable to locate", "could not locate", "couldn t locate", "cannot locate", "can t locate", "failed to find", "didn t find", "did not find",
		"has been removed", "have been removed", "was removed", "been moved or deleted", "been deleted", "may have been moved", "might have been moved", "may have moved", "has moved or", "has gone", "is gone", "went missing", "is missing", "seems to be missing", "got lost", "doesn t work",
		"nothing found", "nothing here", "nothing was found", "no input file specified", "no page found", "no such page", "no such file", "missing page", "invalid page", "invalid url", "page missing",
		"nicht gefunden", "nicht finden", "nicht vorhanden", "existiert nicht", "existiert leider nicht", "nicht existiert", "nicht mehr existiert", "nicht verfügbar", "nicht mehr verfügbar", "nicht mehr vorhanden", "gibt es nicht", "gibt es leider nicht", "gelöscht wurde", "wurde gelöscht", "wurde entfernt", "nicht auffindbar",
		"introuvable", "introuvables", "non trouvée", "non trouvé", "pas trouvée", "pas trouvé", "pas été trouvée", "pas été trouvé", "n existe pas", "n existe plus", "n est plus disponible", "n est pas disponible", "pas disponible", "inexistante", "inexistant", "n a pas été trouvée", "pas pu être trouvée", "n a pu être trouvée", "a été supprimée", "pas trouver",
		"no encontrada", "no encontrado", "no se encuentra", "no se encontró", "no se ha encontrado", "no existe", "no ha sido encontrada", "no pudo ser encontrada", "no encontramos", "no hemos encontrado", "no hemos podido encontrar", "no se pudo encontrar", "no se ha podido encontrar", "no podemos encontrar", "no está disponible", "no disponible", "ya no existe", "ya no está disponible", "inexistente", "no fue encontrada",
		"não encontrada", "não encontrado", "nao encontrada", "nao encontrado", "não foi encontrada", "não foi encontrado", "não foi possível encontrar", "não existe", "não encontramos", "não pôde ser encontrada", "não está disponível", "não disponível", "indisponível", "não localizada", "não foi localizada", "já não existe",
		"non trovata", "non trovato", "non è stata trovata", "non è stato trovato", "non esiste", "non è disponibile", "non disponibile", "non è più disponibile", "impossibile trovare", "inesistente", "non è stato possibile trovare",
		"niet gevonden", "niet vinden", "bestaat niet", "niet beschikbaar", "niet meer beschikbaar", "niet bestaat", "bestaat helaas niet", "niet worden gevonden",
		"hittades inte", "inte hittas", "hittas inte", "finns inte", "hittar inte", "inte hitta", "hittade inte", "finns ej",
		"ikke fundet", "findes ikke", "ikke findes", "eksisterer ikke", "ikke finde", "findes desværre ikke", "ikke funnet", "finnes ikke", "finner ikke", "fant ikke", "ikke finnes", "finnes dessverre ikke",
		"ei löydy", "ei löytynyt", "ei löydetty", "ei ole olemassa", "ei ole saatavilla",
		"nie znaleziono", "nie została znaleziona", "nie istnieje", "nie odnaleziono", "nie można znaleźć", "nie udało się znaleźć", "nie została odnaleziona", "nie ma takiej", "nie znaleziona", "nie została odnaleziona", "nie jest dostępna", "nie możemy znaleźć",
		"nenalezena", "nebyla nalezena", "nenalezeno", "nenalezen", "nebyl nalezen", "neexistuje", "nelze najít", "nepodařilo se najít", "nenašli", "nenájdená", "nenájdené", "nebola nájdená", "nenašla", "sa nenašla", "sa nenašlo", "nebylo nalezeno",
		"nem található", "nem létezik", "nem találjuk", "nem találtuk", "nem talált", "nem érhető el",
		"nu a fost găsită", "nu a fost gasita", "nu a fost găsit", "nu există", "nu exista", "nu poate fi găsită", "nu poate fi gasita", "nu este disponibilă", "negăsită",
		"не е намерена", "не беше намерена", "не съществува", "не може да бъде намерена", "не е открита", "не бе намерена",
		"не найдена", "не найден", "не найдено", "не существует", "не обнаружена", "нет такой", "не удалось найти", "не нашли", "не можем найти", "не найдены", "была удалена", "удалена или", "не доступна", "недоступна",
		"не знайдено", "не знайдена", "не знайдений", "не існує", "не вдалося знайти", "не можемо знайти",
		"nije pronađena", "nije pronađeno", "nije nađena", "ne postoji", "nije moguće pronaći", "није пронађена", "не постоји", "није нађена", "ni bila najdena", "ni mogoče najti", "ne obstaja", "ni najdena", "ni bilo mogoče najti",
		"nerastas", "nerasta", "neegzistuoja", "nav atrasta", "neeksistē", "ei leitud", "ei eksisteeri", "no trobada", "no s ha trobat", "no existeix",
		"δεν βρέθηκε", "δεν υπάρχει", "δε βρέθηκε", "δεν βρέθηκαν", "δεν μπορεί να βρεθεί",
		"bulunamadı", "bulunamadi", "bulunamıyor", "mevcut değil", "bulunmamaktadır", "bulunmuyor", "bulamadık", "tapılmadı", "mövcud deyil",
		"پیدا نشد", "پیدا نشده", "پیدا نکردیم", "پیدا نمیشود", "پیدا نمی شود", "پیدا نمیکنیم", "یافت نشد", "یافت نشده", "یافت نمیشود", "یافت نمی شود", "وجود ندارد", "وجود خارجی ندارد", "موجود نیست", "موجود نمیباشد", "موجود نمی باشد", "در دسترس نیست", "در دسترس نمیباشد", "حذف شده", "حذف شده است", "پیدا نمیکنید",
		"غير موجودة", "غير موجود", "لم يتم العثور", "لم يعثر", "لا يمكن العثور", "غير متوفرة", "غير متوفر", "غير متاحة", "لا توجد", "تعذر العثور", "لم نتمكن من العثور", "لم نعثر", "غير متاح",
		"לא נמצא", "לא נמצאה", "לא קיים", "לא קיימת", "אינו קיים", "אינו נמצא", "نہیں ملا", "نہیں ملی", "موجود نہیں", "नहीं मिला", "नहीं मिली", "मौजूद नहीं", "उपलब्ध नहीं",
		"tidak ditemukan", "tidak dijumpai", "tidak tersedia", "tidak wujud", "tidak dapat ditemukan", "tidak ada", "không tìm thấy", "không tồn tại", "ไม่พบ",
		"見つかりません", "見つかりませんでした", "みつかりません", "存在しません", "存在しない", "見つけられません", "お探しのページ", "不存在", "找不到", "未找到", "没有找到", "沒有找到", "无法找到", "無法找到", "已删除", "已被删除", "已刪除", "不見了", "不见了",
		"찾을 수 없습니다", "찾을 수 없음", "존재하지 않는", "존재하지 않습니다", "없는 페이지",
	}},
	{signIn, []string{
		"log in", "login", "log on", "logon", "sign in", "signin", "sign on", "signon", "log into", "sign into", "authentication", "authentication required", "weblogin", "sso",
		"anmelden", "anmeldung", "einloggen", "connexion", "se connecter", "connectez vous", "identification", "identifiez vous", "authentification", "s identifier", "iniciar sesión", "iniciar sesion", "inicia sesión", "inicio de sesión", "acceder", "acceso", "identificarse", "identificación", "ingresar", "entrar",
		"iniciar sessão", "fazer login", "acessar", "acesso", "identificação", "accedi", "accesso", "inloggen", "aanmelden", "meld u aan", "meld je aan", "log je in", "logga in", "inloggning", "log ind", "logg inn", "innlogging", "kirjaudu", "kirjautuminen", "kirjaudu sisään",
		"zaloguj", "zaloguj się", "logowanie", "zalogować", "přihlášení", "přihlásit", "přihlásit se", "prihlásenie", "prihlásiť", "bejelentkezés", "bejelentkezes", "belépés", "autentificare", "conectare", "вход", "войти", "авторизация", "аутентификация", "вхід", "увійти", "авторизація", "авторизації", "влез", "prijava", "prijavite se", "prisijungti", "prisijungimas", "sisselogimine",
		"σύνδεση", "είσοδος", "giriş", "giriş yap", "üye girişi", "oturum aç", "تسجيل الدخول", "دخول", "התחברות", "כניסה", "ورود", "لاگین", "masuk", "log masuk", "đăng nhập", "เข้าสู่ระบบ", "登录", "登入", "登陆", "登錄", "ログイン", "サインイン", "로그인",
	}},
	{consent, []string{
		"before you continue", "before you proceed", "cookie consent", "cookies consent", "gdpr consent", "your consent", "consent", "we value your privacy", "your privacy", "privacy consent", "cookie wall", "cookiewall", "cookies required", "privacy gate", "privacygate", "privacy settings", "cookie settings", "cookie preferences", "accept cookies", "this site uses cookies",
		"zustimmung", "einwilligung", "bevor sie fortfahren", "bevor sie zu", "ihre privatsphäre", "privatsphäre einstellungen", "datenschutzeinstellungen", "cookie einstellungen", "cookie hinweis", "mit werbung", "toestemming", "cookiemuur", "cookies accepteren", "voordat je verdergaat", "voordat u verdergaat", "privacyinstellingen", "privacy instellingen",
		"avant de continuer", "avant d accéder à", "consentement", "votre vie privée", "gestion des cookies", "antes de continuar", "antes de ir a", "consentimiento", "tu privacidad", "su privacidad", "privacidad", "consentimento", "sua privacidade", "prima di continuare", "consenso", "la tua privacy", "zanim przejdziesz", "zgoda", "twoja prywatność", "ochrona prywatności", "než budete pokračovat", "souhlas", "innan du fortsätter", "samtycke", "samtykke", "før du fortsætter", "ennen kuin jatkat", "suostumus", "прежде чем продолжить", "согласие", "devam etmeden önce", "継続する前に", "続行する前に", "계속하기 전에", "پیش از ادامه", "قبل از ادامه", "رضایت شما", "قبل المتابعة",
	}},
	{accept, []string{
		"accept", "accept all", "i accept", "i agree", "agree", "agree and continue", "accept and continue", "allow all", "allow", "ok", "akzeptieren", "alle akzeptieren", "zustimmen", "einverstanden", "alles akzeptieren", "akkoord", "ja ik accepteer", "accepteren", "alles accepteren", "accepter", "tout accepter", "j accepte", "aceptar", "aceptar todo", "acepto", "accetta", "accetta tutto", "accetto", "aceitar", "aceitar tudo", "aceito", "akceptuję", "zaakceptuj", "zgadzam się", "przejdź do serwisu", "souhlasím", "přijmout", "přijmout vše", "elfogadom", "godkänn", "godkänn alla", "acceptera", "acceptera alla", "godta", "godta alle", "accepter alle", "hyväksy", "hyväksy kaikki", "принять", "согласен", "принимаю", "принять все", "kabul et", "tümünü kabul et", "kabul ediyorum", "میپذیرم", "می پذیرم", "پذیرفتن", "موافقم", "قبول", "أوافق", "قبول الكل", "同意", "同意する", "すべて同意", "すべて受け入れる", "接受", "全部接受", "동의", "모두 수락",
	}},
	{cookies, []string{
		"cookies", "cookie", "personal data", "privacy policy", "advertising", "tracking", "partners", "vendors", "datenschutz", "werbung", "datenschutzerklärung", "données personnelles", "traceurs", "partenaires", "privacidad", "datos personales", "privacidade", "dati personali", "persoonsgegevens", "advertenties", "personuppgifter", "dane osobowe", "danych osobowych", "osobních údajů", "куки", "персональных данных", "çerez", "çerezler", "کوکی", "کوکیها", "حریم خصوصی", "ملفات تعريف الارتباط", "クッキー", "プライバシー", "쿠키", "개인정보",
	}},
	{sale, []string{
		"this domain is for sale", "domain is for sale", "domain name is for sale", "domain for sale", "domain may be for sale", "domain name for sale", "domain is available for sale", "domain is parked", "parked domain", "domain parking", "domain has been parked", "domain name is parked", "is parked free", "parked free courtesy", "parking page", "parked page", "buy this domain", "purchase this domain", "domain names for sale", "this domain has recently been registered", "domain has just been registered", "domain name has just been registered", "domain was recently registered", "domain is registered but", "domain has expired", "domain name has expired", "this domain has expired", "inquire about this domain", "make an offer on this domain", "hugedomains",
		"apache2 ubuntu default page", "apache2 debian default page", "apache http server test page", "test page for the apache http server", "test page for the http server", "apache http server test page powered by centos", "welcome to nginx", "test page for the nginx http server", "nginx http server on", "iis windows server", "iis windows", "iis7", "iis8", "welcome to iis", "internet information services", "web server s default page", "domain default page", "default web site page", "plesk default page", "default plesk page", "default parallels plesk", "default page", "apache is functioning normally", "welcome to openresty", "welcome to caddy", "xampp", "wampserver homepage", "welcome to tengine", "apache tomcat", "future home of something quite cool", "default server page", "no website has been uploaded", "there is no website configured at this address", "there is no site configured at this address", "this is the default index page", "default index page", "successfully installed web server",
		"account suspended", "account has been suspended", "site suspended", "website suspended", "hosting account has been suspended", "contact your hosting provider", "website is no longer available hosting",
		"diese domain steht zum verkauf", "domain steht zum verkauf", "domain zu verkaufen", "domain ist geparkt", "domain wurde geparkt", "domain ist zu verkaufen", "domain kaufen", "hier entsteht eine neue internetpräsenz", "hier entsteht eine neue homepage", "hier entsteht eine neue webseite", "hier entsteht eine neue website", "diese domain wurde registriert", "diese domain wurde gerade registriert", "diese internetpräsenz wurde", "domain wurde erfolgreich",
		"ce domaine est à vendre", "nom de domaine est à vendre", "domaine à vendre", "domaine est parqué", "votre domaine a bien été créé", "ce nom de domaine est enregistré", "domaine réservé", "dominio en venta", "dominio está en venta", "dominio aparcado", "dominio estacionado", "dominio registrado", "cuenta suspendida", "dominio in vendita", "dominio è in vendita", "dominio parcheggiato", "dominio registrato", "dominio è stato registrato", "domínio à venda", "domínio está à venda", "domínio estacionado", "domínio registrado", "conta suspensa",
		"domein is te koop", "domeinnaam is te koop", "domeinnaam te koop", "domein geparkeerd", "domeinnaam is geregistreerd", "domein is geregistreerd", "deze domeinnaam is gereserveerd", "domena na sprzedaż", "domena jest na sprzedaż", "domena jest zaparkowana", "domena jest utrzymywana na serwerach", "domena została zarejestrowana", "domänen är parkerad", "domännamn till salu", "domänen är till salu", "domänen är registrerad", "domænet er parkeret", "domænet er til salg", "domenet er parkert", "domenet er til salgs", "verkkotunnus on varattu", "doména je zaparkována", "doména je na prodej", "doména na prodej", "doména na predaj", "domain eladó", "domeniu de vânzare",
		"домен продается", "домен продаётся", "продажа домена", "домен припаркован", "домен зарегистрирован", "срок регистрации домена", "домен выставлен на продажу", "сайт заблокирован хостинг", "аккаунт заблокирован", "домен продається", "alan adı satılıktır", "domain satılık", "satılık domain", "alan adı satılık", "alan adı park", "hesap askıya alındı",
		"این دامنه به فروش", "دامنه به فروش میرسد", "دامنه به فروش می رسد", "دامنه فروشی", "فروش دامنه", "این دامین به فروش", "دامین به فروش", "دامنه پارک شده", "این دامنه پارک", "دامنه ثبت شده است", "هاست شما با موفقیت", "هاست شما مسدود", "حساب میزبانی", "حساب کاربری میزبانی", "سرویس میزبانی", "این هاست مسدود", "هاست این سایت", "این سایت مسدود شده است", "اکانت شما مسدود", "این دامنه منقضی", "دامنه منقضی شده",
		"النطاق للبيع", "نطاق للبيع", "هذا النطاق معروض للبيع", "הדומיין למכירה", "域名出售", "域名可出售", "域名正在出售", "此域名出售", "域名停放", "域名可以转让", "域名转让", "本域名", "ドメインは販売", "ドメイン売ります", "このドメインは", "도메인 판매", "도메인 파킹", "tên miền này", "domain ini dijual",
	}},
	{challenge, []string{
		"are you a robot", "are you a human", "are you human", "not a robot", "not a bot", "verify you are human", "verify you re human", "verify that you are human", "verify that you are not a robot", "verify you are not a robot", "prove you are human", "prove that you are human", "robot check", "bot check", "human verification", "bot verification", "browser verification", "captcha verification", "checking your browser", "unusual traffic", "automated requests", "automated access", "suspicious activity from", "ddos protection by", "under attack mode", "security check to access", "complete the security check", "enter the characters you see", "cloudflare ray id",
		"ich bin kein roboter", "sind sie ein mensch", "kein roboter", "êtes vous un robot", "pas un robot", "no soy un robot", "no eres un robot", "non sono un robot", "não sou um robô", "geen robot", "nie jestem robotem", "вы не робот", "не робот", "что вы не робот", "проверка браузера", "robot değilim", "robot olmadığınızı",
		"ربات نیستید", "ربات نیستم", "بررسی مرورگر", "مرورگر شما در حال بررسی", "لست روبوت", "لست برنامج روبوت", "ロボットではありません", "ロボットではない", "人机验证", "人機驗證", "安全验证", "安全驗證", "不是机器人", "滑动验证", "訪問驗證", "访问验证", "로봇이 아닙니다",
	}},
	{refusal, []string{
		"access denied", "access is denied", "access to this page", "attention required", "just a moment", "please wait", "one more step", "security check", "security verification", "request blocked", "been blocked", "request was blocked", "enable javascript", "enable cookies", "javascript is required", "requires javascript", "javascript is disabled", "captcha", "pardon our interruption", "validating your browser", "forbidden", "request could not be", "incident id", "request id", "reference id", "support id",
		"zugriff verweigert", "bitte warten", "sicherheitsprüfung", "accès refusé", "veuillez patienter", "acceso denegado", "un momento", "acesso negado", "aguarde", "accesso negato", "attendere", "toegang geweigerd", "odmowa dostępu", "доступ запрещен", "доступ ограничен", "подождите", "erişim engellendi", "lütfen bekleyin", "در حال انتقال", "لطفا صبر کنید", "دسترسی شما", "دسترسی غیرمجاز", "جاوااسکریپت را فعال", "جاوا اسکریپت را فعال", "کد امنیتی", "تم رفض الوصول", "يرجى الانتظار", "请稍候", "請稍候", "访问被拒绝", "拒绝访问", "访问受限", "アクセスが拒否", "少々お待ち", "접근이 거부",
	}},
}

// phrase is what follows the first word of one of phrases, and what all of it means.
type phrase struct {
	rest    string // words, each with a space after it
	meaning meaning
}

// lexicon has all phrases by their first words.
var lexicon = func() map[string][]phrase {
	all := map[string][]phrase{}
	for _, p := range phrases {
		for _, text := range p.all {
			first, rest, _ := strings.Cut(string(words.Append(nil, text)), " ")
			all[first] = append(all[first], phrase{rest, p.meaning})
		}
	}
	return all
}()

// mean returns what the phrases in a text mean, and how many words it has. The text has a space after each word.
func mean(text []byte) (m meaning, n int) {
	for len(text) > 0 {
		end := bytes.IndexByte(text, ' ')
		first := text[:end]
		text = text[end+1:]
		for _, p := range lexicon[string(first)] {
			if len(p.rest) <= len(text) && string(text[:len(p.rest)]) == p.rest {
				m |= p.meaning
			}
		}
		n++
	}
	return m, n
}

// Bounds of a text that claims something, in bytes after lib/words.
const (
	longestClaim = 200 // a sentence
	shortClaim   = 40  // "404 not found"
)

// claims returns what a short text says: a title or a part of it, a heading, a sentence, the words on a button.
func claims(text []byte) (c claim) {
	m, n := mean(text)
	if m == 0 || len(text) > longestClaim {
		return 0
	}
	if m&missing != 0 && m&(thing|code) != 0 {
		c |= saysMissing
	} else if m&(missing|code) != 0 && len(text) <= shortClaim && (n <= 3 || m&missing != 0) {
		c |= saysCode
	}
	for _, of := range [...]struct {
		meaning meaning
		claim   claim
	}{{signIn, saysSignIn}, {consent, saysConsent}, {accept, saysAccept}, {cookies, saysCookies}, {sale, saysSale}, {challenge, saysChallenge}, {refusal, saysRefusal}} {
		if m&of.meaning != 0 {
			c |= of.claim
		}
	}
	return c
}

// claimsOf returns what a text in HTML says. If parts is set, its parts, such as those of a title, are asked each by
// itself.
func claimsOf(text []byte, parts bool) (c claim) {
	if len(text) == 0 {
		return 0
	}
	plain := string(text)
	if strings.IndexByte(plain, '<') >= 0 {
		plain = withoutTags(plain)
	}
	if strings.IndexByte(plain, '&') >= 0 {
		plain = html.UnescapeString(plain)
	}
	var room [2 * maxTitle]byte
	if !parts {
		return claims(words.Append(room[:0], plain))
	}
	for plain != "" {
		part := plain
		if i, n := separator(plain); i >= 0 {
			part, plain = plain[:i], plain[i+n:]
		} else {
			plain = ""
		}
		c |= claims(words.Append(room[:0], part))
	}
	return c
}

// separator finds what parts a title, such as " - " or "|", and how long it is; -1 if there is none.
func separator(title string) (at, length int) {
	for i := 0; i < len(title); i++ {
		switch title[i] {
		case '|':
			return i, 1
		case ':':
			if i+1 < len(title) && (title[i+1] == ' ' || title[i+1] == ':') {
				return i, 2
			}
		case '-', '~', '/':
			if i > 0 && title[i-1] == ' ' && i+1 < len(title) && title[i+1] == ' ' {
				return i, 1
			}
		case 0xC2: // · » «
			if i+1 < len(title) && (title[i+1] == 0xB7 || title[i+1] == 0xBB || title[i+1] == 0xAB) {
				return i, 2
			}
		case 0xE2: // – — • ›
			if i+2 < len(title) && title[i+1] == 0x80 && (title[i+2] == 0x93 || title[i+2] == 0x94 || title[i+2] == 0xA2 || title[i+2] == 0xBA) {
				return i, 3
			}
		}
	}
	return -1, 0
}

// withoutTags returns the text in HTML with a space for each tag.
func withoutTags(text string) string {
	var b strings.Builder
	for text != "" {
		before, rest, _ := strings.Cut(text, "<")
		b.WriteString(before)
		b.WriteByte(' ')
		_, text, _ = strings.Cut(rest, ">")
	}
	return b.String()
}
