package standin

// This file has the words, in many languages, by which pages say what they are, as data, and finds them in texts.

import (
	"bytes"
	"html"
	"math/bits"
	"strings"

	"kavosh/lib/words"
)

// meaning is what words mean; several may be added up.
type meaning uint32

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
	being                         // what the reader is, or is not: a robot, a human
	prove                         // that it is to be shown
	gear                          // what the reader comes with: a browser, a connection
	checking                      // that something is looked at just now
	refusal                       // that the reader is not let in, or must wait
	entry                         // what can be refused: access, a request
	refused                       // that it is
	guard                         // what keeps programs out
	number                        // the number of a request, or the reader's address, which a wall shows
)

// claim is what a text says; several may be added up.
type claim uint16

const (
	saysCode    claim = 1 << iota // "404", which may be the name of something
	saysBare                      // "not found" alone, which may be an answer to a search
	saysMissing                   // that a page is missing
	saysSignIn                    // …
	saysConsent
	saysAccept
	saysCookies
	saysSale
	saysChallenge
	saysRefusal
	saysGuard
	saysNumber
)

// phrases lists words by what they mean. Each phrase is found as whole words, in any spelling (lib/words).
var phrases = []struct {
	meaning meaning
	all     []string
}{
	{code, []string{"404", "error404", "404error"}},
	{thing, []string{
		"page", "pages", "webpage", "file", "url", "document", "resource", "content", "article", "post", "address", "site", "website", "topic", "thread", "entry", "record", "video", "product", "what you re looking for", "what you are looking for", "what you were looking for", "what you requested",
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
		"not found", "notfound", "not the page you", "cannot be found", "can not be found", "can t be found", "cant be found", "could not be found", "couldn t be found", "wasn t found", "not be found", "not been found",
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
		"before you continue", "before you proceed", "cookie consent", "cookies consent", "gdpr consent", "your consent", "consent", "we value your privacy", "your privacy", "privacy consent", "cookie wall", "cookiewall", "cookies required", "privacy gate", "privacygate", "privacy settings", "cookie settings", "cookie preferences", "accept cookies", "allow the use of cookies", "this site uses cookies", "family of brands", "markenfamilie", "famille de marques", "familia de marcas", "famiglia di brand", "família de marcas",
		"zustimmung", "einwilligung", "bevor sie fortfahren", "bevor sie zu", "ihre privatsphäre", "privatsphäre einstellungen", "datenschutzeinstellungen", "cookie einstellungen", "cookie hinweis", "mit werbung", "toestemming", "cookiemuur", "cookies accepteren", "voordat je verdergaat", "voordat u verdergaat", "privacyinstellingen", "privacy instellingen",
		"avant de continuer", "avant d accéder à", "accepter les cookies", "consentement", "votre vie privée", "gestion des cookies", "antes de continuar", "antes de ir a", "consentimiento", "tu privacidad", "su privacidad", "privacidad", "consentimento", "sua privacidade", "prima di continuare", "consenso", "la tua privacy", "zanim przejdziesz", "zgoda", "twoja prywatność", "ochrona prywatności", "než budete pokračovat", "souhlas", "innan du fortsätter", "samtycke", "samtykke", "før du fortsætter", "ennen kuin jatkat", "suostumus", "прежде чем продолжить", "согласие", "devam etmeden önce", "継続する前に", "続行する前に", "계속하기 전에", "پیش از ادامه", "قبل از ادامه", "رضایت شما", "قبل المتابعة",
	}},
	{accept, []string{
		"accept", "agree", "allow", "consent", "got it", "i understand", "continue reading", "ok", "einwilligen", "einwilligung erteilen", "mit werbung weiterlesen", "weiter mit werbung", "toestaan", "tillåt", "tillad", "tillat", "consentir", "permitir", "acconsento", "consenti", "elfogad", "súhlasím", "prijať", "zezwól", "согласиться", "разрешить", "прийняти", "погоджуюсь", "приемам", "αποδοχή", "συμφωνώ", "موافق", "موافقت", "پذیرش", "מסכים", "אישור", "setuju", "terima", "đồng ý", "chấp nhận", "ยอมรับ", "akzeptieren", "alle akzeptieren", "zustimmen", "ich stimme zu", "einverstanden", "alles akzeptieren", "akkoord", "ja ik accepteer", "accepteren", "alles accepteren", "accepter", "tout accepter", "autoriser", "tout autoriser", "j accepte", "aceptar", "aceptar todo", "acepto", "accetta", "accetta tutto", "accetto", "aceitar", "aceitar tudo", "aceito", "akceptuję", "zaakceptuj", "zgadzam się", "przejdź do serwisu", "souhlasím", "přijmout", "přijmout vše", "elfogadom", "godkänn", "godkänn alla", "acceptera", "acceptera alla", "godta", "godta alle", "accepter alle", "hyväksy", "hyväksy kaikki", "принять", "согласен", "принимаю", "принять все", "kabul et", "tümünü kabul et", "kabul ediyorum", "میپذیرم", "می پذیرم", "پذیرفتن", "موافقم", "قبول", "أوافق", "قبول الكل", "同意", "同意する", "すべて同意", "すべて受け入れる", "接受", "全部接受", "동의", "모두 수락",
	}},
	{cookies, []string{
		"cookies", "cookie", "personal data", "privacy policy", "advertising", "tracking", "partners", "vendors", "datenschutz", "werbung", "datenschutzerklärung", "données personnelles", "traceurs", "partenaires", "privacidad", "datos personales", "privacidade", "dati personali", "persoonsgegevens", "advertenties", "personuppgifter", "dane osobowe", "danych osobowych", "osobních údajů", "куки", "персональных данных", "çerez", "çerezler", "کوکی", "کوکیها", "حریم خصوصی", "ملفات تعريف الارتباط", "クッキー", "プライバシー", "쿠키", "개인정보",
	}},
	{sale, []string{
		"this domain is for sale", "domain is for sale", "domain name is for sale", "domain for sale", "domain may be for sale", "domain name for sale", "domain is available for sale", "domain is parked", "parked domain", "domain parking", "domain has been parked", "domain name is parked", "is parked free", "parked free courtesy", "parking page", "parked page", "buy this domain", "purchase this domain", "domain names for sale", "this domain has recently been registered", "domain has just been registered", "domain name has just been registered", "domain was recently registered", "domain is registered but", "domain has expired", "domain name has expired", "this domain has expired", "inquire about this domain", "make an offer on this domain", "hugedomains",
		"apache2 ubuntu default page", "apache2 debian default page", "apache http server test page", "test page for the apache http server", "test page for the http server", "apache http server test page powered by centos", "welcome to nginx", "test page for the nginx http server", "nginx http server on", "iis windows server", "iis windows", "iis7", "iis8", "welcome to iis", "internet information services", "web server s default page", "domain default page", "default web site page", "plesk default page", "default plesk page", "default parallels plesk", "default page", "apache is functioning normally", "welcome to openresty", "welcome to caddy", "xampp", "wampserver homepage", "welcome to tengine", "apache tomcat", "future home of something quite cool", "default server page", "no website has been uploaded", "there is no website configured at this address", "there is no site configured at this address", "this is the default index page", "default index page", "default index html", "site is created successfully", "automatically generated by the system", "site just created", "real content coming soon", "no content on this domain yet", "your web server is working", "caddy works", "cpanel and whm", "placeholder page", "this is a placeholder", "powered by centos", "test page for the ssl tls aware apache", "http server test page", "webserver test page", "welcome to lighttpd", "welcome to jboss", "your wildfly instance is running", "your app service app is up and running", "web app is running and waiting for your content", "firebase hosting setup complete", "heroku welcome to your new app", "domain isn t connected to a website", "does not currently have a default page", "you are all set to go", "cyberpanel installed", "successfully installed cyberpanel", "welcome to virtualmin", "welcome to xampp", "welcome to mamp", "froxlor defaultpage", "ispconfig", "why am i seeing this web site", "why am i seeing this page hosting", "site not found dreamhost", "this domain is registered with", "domain name is registered with", "domain name has been registered with", "registered with gandi",
		"account suspended", "account has been suspended", "site is currently suspended", "website is currently suspended", "site has been suspended", "website has been suspended", "expired or suspended", "domain deactivated", "domain not configured", "domain has been disabled", "domain is disabled", "owner of this website", "owner of this site", "hosting account owner", "owner of this domain", "site suspended", "website suspended", "hosting account has been suspended", "contact your hosting provider", "website is no longer available hosting",
		"diese domain steht zum verkauf", "domain ist registriert", "domain wurde reserviert", "ist bereits registriert", "domain ist bereits vergeben", "domain wurde eingerichtet", "domain steht zum verkauf", "domain zu verkaufen", "domain ist geparkt", "domain wurde geparkt", "domain ist zu verkaufen", "domain kaufen", "hier entsteht eine neue internetpräsenz", "hier entsteht eine neue homepage", "hier entsteht eine neue webseite", "hier entsteht eine neue website", "diese domain wurde registriert", "diese domain wurde gerade registriert", "diese internetpräsenz wurde", "domain wurde erfolgreich",
		"ce domaine est à vendre", "nom de domaine est à vendre", "domaine à vendre", "domaine est parqué", "votre domaine a bien été créé", "ce nom de domaine est enregistré", "domaine réservé", "dominio en venta", "dominio está en venta", "dominio aparcado", "dominio estacionado", "dominio registrado", "cuenta suspendida", "dominio in vendita", "dominio è in vendita", "dominio parcheggiato", "dominio registrato", "dominio è stato registrato", "domínio à venda", "domínio está à venda", "domínio estacionado", "domínio registrado", "conta suspensa",
		"domein is te koop", "domeinnaam is te koop", "domeinnaam te koop", "domein geparkeerd", "domeinnaam is geregistreerd", "domein is geregistreerd", "deze domeinnaam is gereserveerd", "domena na sprzedaż", "domena jest na sprzedaż", "domena jest zaparkowana", "domena jest utrzymywana na serwerach", "domena została zarejestrowana", "domänen är parkerad", "domännamn till salu", "domänen är till salu", "domänen är registrerad", "domænet er parkeret", "domænet er til salg", "domenet er parkert", "domenet er til salgs", "verkkotunnus on varattu", "doména je zaparkována", "doména je na prodej", "doména na prodej", "doména na predaj", "domain eladó", "domeniu de vânzare",
		"домен продается", "домен не прилинкован", "сайт только что создан", "содержимое появится позже", "сайт отключен", "сайт отключён", "сайт заблокирован", "домен продаётся", "продажа домена", "домен припаркован", "домен зарегистрирован", "срок регистрации домена", "домен выставлен на продажу", "сайт заблокирован хостинг", "аккаунт заблокирован", "домен продається", "alan adı satılıktır", "domain satılık", "satılık domain", "alan adı satılık", "alan adı park", "hesap askıya alındı",
		"این دامنه به فروش", "دامنه به فروش میرسد", "دامنه به فروش می رسد", "دامنه فروشی", "فروش دامنه", "این دامین به فروش", "دامین به فروش", "دامنه پارک شده", "این دامنه پارک", "دامنه ثبت شده است", "هاست شما با موفقیت", "هاست شما مسدود", "حساب میزبانی", "حساب کاربری میزبانی", "سرویس میزبانی", "این هاست مسدود", "هاست این سایت", "این سایت مسدود شده است", "اکانت شما مسدود", "این دامنه منقضی", "دامنه منقضی شده",
		"النطاق للبيع", "نطاق للبيع", "هذا النطاق معروض للبيع", "הדומיין למכירה", "站点创建成功", "没有找到站点", "本页面由系统自动生成", "域名出售", "域名可出售", "域名正在出售", "此域名出售", "域名停放", "域名可以转让", "域名转让", "本域名", "ドメインが無効", "ドメインは販売", "ドメイン売ります", "このドメインは", "도메인 판매", "도메인 파킹", "tên miền này", "domain ini dijual",
	}},
	{challenge, []string{
		"are you a robot", "you were a bot", "you are a bot", "you re a bot", "made by a human", "needs a human touch", "a human touch", "additional verification required", "checking your device", "checking device", "solve the challenge", "complete the challenge", "challenge below", "following challenge", "robot or human", "press and hold", "press hold to confirm", "strange traffic", "waiting for the redirectiron", "vercel security checkpoint", "are you a human", "are you human", "not a robot", "not a bot", "you are human", "you re human", "you are a human", "that you re a human", "robot check", "bot check", "human verification", "bot verification", "browser verification", "captcha verification", "checking your browser", "unusual traffic", "automated requests", "automated access", "suspicious activity from", "suspicious activity detected", "ddos protection by", "under attack mode", "security check to access", "complete the security check", "enter the characters you see", "using automation tools", "connection is secure before proceeding", "if the site connection is secure", "security of your connection", "browser is being checked", "robot challenge screen", "blocked by network security", "blocked due to a network policy", "whoa there pardner", "human or robot", "humans only", "requests from your network", "requests from your ip", "traffic from your network", "traffic from your computer", "suspicious traffic", "suspicious requests", "suspicious activity", "abnormal traffic", "too many requests from", "solve this puzzle", "solve the puzzle", "slide to verify", "drag the slider", "select all squares", "guessed you were",
		"ungewöhnlichen datenverkehr", "ungewöhnlicher datenverkehr", "anfragen aus deinem netzwerk", "trafic inhabituel", "trafic exceptionnel", "requêtes provenant de votre réseau", "tráfico inusual", "solicitudes de tu red", "tráfego incomum", "solicitações da sua rede", "traffico insolito", "traffico anomalo", "richieste provenienti dalla tua rete", "ongebruikelijk verkeer", "nietypowy ruch", "neobvyklý provoz", "szokatlan forgalmat", "trafic neobișnuit", "ovanlig trafik", "usædvanlig trafik", "uvanlig trafikk", "epätavallista liikennettä", "подозрительный трафик", "запросов из вашей сети", "подозрительные запросы", "незвичний трафік", "olağandışı trafik", "ترافیک غیرعادی", "ترافیک غیرمعمول", "ترافیک مشکوک", "درخواست های غیرعادی", "حركة مرور غير عادية", "lalu lintas yang tidak biasa", "lưu lượng bất thường", "异常流量", "異常流量", "流量异常", "访问异常", "异常访问", "通常と異なるトラフィック", "비정상적인 트래픽",
		"ich bin kein roboter", "sind sie ein mensch", "kein roboter", "êtes vous un robot", "pas un robot", "no soy un robot", "no eres un robot", "non sono un robot", "não sou um robô", "geen robot", "nie jestem robotem", "вы не робот", "решения капчи", "введите капчу", "подозрительная активность", "запрос выглядит необычно", "действия за автоматические", "запросы автоматические", "необычный трафик", "не робот", "что вы не робот", "проверка браузера", "robot değilim", "robot olmadığınızı",
		"ربات نیستید", "ربات نیستم", "بررسی مرورگر", "مرورگر شما در حال بررسی", "لست روبوت", "لست برنامج روبوت", "ロボットではありません", "ロボットではない", "人机验证", "人機驗證", "防火墙拦截", "输入验证码访问", "百度安全验证", "安全验证", "安全驗證", "不是机器人", "滑动验证", "訪問驗證", "访问验证", "로봇이 아닙니다",
	}},
	{being, []string{
		"robot", "robots", "bot", "bots", "human", "humans", "humanity", "real person", "real user", "automated", "roboter", "mensch", "menschlich", "menschen", "robô", "humano", "humana", "humain", "humaine", "umano", "umana", "menselijk", "mens", "człowiekiem", "człowiek", "robotem", "ember", "om", "člověk", "človek", "människa", "menneske", "ihminen", "robotti",
		"робот", "робота", "роботом", "роботы", "человек", "человеком", "бот", "людина", "людиною", "човек", "ρομπότ", "άνθρωπος", "insan", "robotsunuz", "ربات", "روبات", "انسان", "روبوت", "روبوتا", "إنسان", "بشر", "רובוט", "אנושי", "אדם", "रोबोट", "इंसान", "manusia", "người máy", "con người", "หุ่นยนต์", "มนุษย์", "机器人", "機器人", "人类", "人類", "真人", "ロボット", "人間", "로봇", "사람",
	}},
	{prove, []string{
		"verify you", "verify that you", "verify if you", "verify whether you", "verifying you", "verifying that you", "verify your", "are you", "prove you", "prove that you", "prove your", "confirm you", "confirm that you", "confirm your", "confirm this", "make sure you", "make sure that you", "making sure you", "ensure you", "ensure that you", "if you are", "if you re", "that you are", "that you re", "whether you are", "you are not", "you re not", "you might be", "you may be", "know you", "it s you", "not a", "bestätigen", "bestätige", "beweisen", "beweise", "verifizieren", "sicherstellen", "sicher", "sind sie", "dass sie", "dass du", "vérifier", "vérifions", "vérifiez", "confirmer", "confirmez", "prouver", "prouvez", "êtes vous", "n êtes pas", "vous êtes", "assurer",
		"verificar", "verifique", "verifica", "confirmar", "confirma", "confirme", "demuestra", "demuestre", "asegurarnos", "no eres", "que eres", "no es un", "você é", "não é", "comprove", "verificare", "confermare", "conferma", "dimostra", "che sei", "non sei", "bevestig", "bevestigen", "bewijs", "dat je", "dat u", "potwierdź", "potwierdzić", "zweryfikuj", "nie jesteś", "że jesteś", "ověřte", "potvrďte", "že jste", "že nejste", "igazolja", "erősítse meg", "confirmați", "bekräfta", "verifiera", "bekræft", "bekreft", "vahvista", "varmista",
		"подтвердите", "подтвердить", "подтверждение", "докажите", "убедиться", "убедимся", "что вы", "вы не", "підтвердьте", "підтвердіть", "переконатися", "доведіть", "потвърдете", "επιβεβαιώστε", "doğrulayın", "doğrula", "kanıtlayın", "onaylayın", "olmadığınızı", "olduğunuzu", "تایید", "اثبات", "ثابت کنید", "نیستید", "هستید", "مطمین", "تاكد", "تاكيد", "اثبت", "انك", "לאמת", "אשר", "הוכח", "सत्यापित", "पुष्टि", "konfirmasi", "pastikan", "buktikan", "bahwa anda", "bahawa anda", "xác nhận", "xác minh", "bạn là", "ยืนยัน", "确认", "確認", "证明", "證明", "証明", "是否", "不是", "验证您", "验证你", "驗證您", "驗證你", "您是", "확인", "아닌지", "아닙니다",
	}},
	{gear, []string{
		"browser", "browsers", "browser s", "your connection", "connection security", "your device", "the site connection", "your request", "navigateur", "navegador", "przeglądarki", "przeglądarkę", "przeglądarka", "prohlížeče", "prohlížeč", "prehliadača", "böngésző", "böngészője", "browserul", "browserului", "webbläsare", "nettleseren", "browseren", "selain", "selainta", "selaimesi",
		"браузер", "браузера", "браузъра", "πρόγραμμα περιήγησης", "tarayıcı", "tarayıcınız", "tarayıcınızı", "bağlantınız", "مرورگر", "مرورگرتان", "المتصفح", "متصفحك", "اتصالك", "הדפדפן", "דפדפן", "peramban", "trình duyệt", "เบราว์เซอร์", "浏览器", "瀏覽器", "ブラウザ", "브라우저",
	}},
	{checking, []string{
		"checking", "verifying", "validating", "being checked", "being verified", "is being", "überprüft", "überprüfung", "überprüfen", "geprüft", "prüfung", "vérification", "vérifions", "comprobando", "comprobación", "verificando", "verificación", "verificação", "verifica del", "stiamo verificando", "controleren", "controle", "verificatie", "sprawdzanie", "sprawdzamy", "weryfikacja", "weryfikujemy", "ověřujeme", "ověřování", "ověření", "kontrolujeme", "kontrola", "overujeme", "overenie", "ellenőrzése", "ellenőrzés", "ellenőrizzük", "verificăm", "verificarea", "kontrollerar", "verifierar", "kontrollerer", "verificerer", "verifiserer", "tarkistetaan", "tarkistamme",
		"проверка", "проверяем", "проверяется", "проверки", "проверку", "перевірка", "перевіряємо", "ελέγχουμε", "έλεγχος", "επαλήθευση", "doğrulanıyor", "doğrulama", "kontrol ediliyor", "kontrol ediyoruz", "بررسی", "التحقق", "تحقق", "فحص", "نتحقق", "בודקים", "בדיקת", "אימות", "सत्यापन", "जांच", "memeriksa", "memverifikasi", "verifikasi", "kiểm tra", "xác minh", "ตรวจสอบ", "检查", "檢查", "检测", "檢測", "验证", "驗證", "校验", "確認して", "検証", "検査", "チェック", "확인하", "확인 중", "검사",
	}},
	{entry, []string{
		"access", "request", "requests", "your ip", "ip", "visit", "traffic", "zugriff", "zugang", "anfrage", "anfragen", "accès", "requête", "demande", "acceso", "solicitud", "petición", "acesso", "solicitação", "requisição", "accesso", "richiesta", "toegang", "verzoek", "dostęp", "dostępu", "żądanie", "přístup", "požadavek", "prístup", "hozzáférés", "kérés", "acces", "accesul", "cererea", "åtkomst", "åtkomsten", "begäran", "adgang", "tilgang", "pääsy", "pyyntö",
		"доступ", "доступа", "запрос", "запросы", "запит", "достъп", "достъпът", "πρόσβαση", "erişim", "erişiminiz", "isteğiniz", "istek", "دسترسی", "درخواست", "ای پی", "ایپی", "الوصول", "وصول", "طلبك", "الطلب", "הגישה", "גישה", "הבקשה", "पहुंच", "एक्सेस", "akses", "permintaan", "truy cập", "yêu cầu", "การเข้าถึง", "访问", "訪問", "请求", "請求", "存取", "アクセス", "リクエスト", "접근", "접속", "액세스", "요청",
	}},
	{refused, []string{
		"denied", "blocked", "banned", "rejected", "restricted", "refused", "forbidden", "limited", "not allowed", "not permitted", "don t have permission", "do not have permission", "does not have permission", "verweigert", "gesperrt", "blockiert", "abgelehnt", "verbannt", "untersagt", "eingeschränkt", "refusé", "refusée", "bloqué", "bloquée", "interdit", "rejetée", "restreint", "denegado", "denegada", "bloqueado", "bloqueada", "rechazada", "prohibido", "restringido", "negado", "recusado", "rejeitada", "restrito", "negato", "bloccato", "bloccata", "rifiutata", "vietato", "geweigerd", "geblokkeerd", "ontzegd", "beperkt", "zablokowany", "zablokowane", "odmowa", "zabroniony", "odrzucone", "ograniczony", "odepřen", "zablokován", "zamítnut", "odmítnut", "zamietnutý", "zablokovaný", "megtagadva", "letiltva", "elutasítva", "refuzat", "interzis", "blocat", "nekad", "nekats", "blockerad", "nægtet", "blokeret", "nektet", "blokkert", "estetty", "evätty",
		"запрещен", "запрещён", "заблокирован", "заблокированы", "ограничен", "отклонен", "отклонён", "отказано", "закрыт", "заборонено", "заблоковано", "обмежено", "відхилено", "отказан", "забранен", "блокиран", "απαγορεύεται", "αποκλείστηκε", "δεν επιτρέπεται", "engellendi", "engellenmiştir", "reddedildi", "kısıtlandı", "yasaklandı", "مسدود", "غیرمجاز", "غیر مجاز", "محدود", "رد شد", "ممنوع", "بلاک", "رفض", "محظور", "حظر", "مرفوض", "נדחתה", "נחסמה", "נחסם", "חסומה", "अस्वीकृत", "अवरुद्ध", "ditolak", "diblokir", "dibatasi", "dilarang", "bị từ chối", "bị chặn", "bị hạn chế", "ถูกปฏิเสธ", "ถูกบล็อก", "ถูกระงับ", "拒绝", "拒絕", "拦截", "攔截", "禁止", "受限", "限制", "阻止", "封禁", "过于频繁", "過於頻繁", "拒否", "ブロック", "制限", "거부", "차단", "제한",
	}},
	{guard, []string{
		"ddos", "anti ddos", "antiddos", "anti bot", "antibot", "bot protection", "bot detection", "bot manager", "web application firewall", "security checkpoint", "security gateway", "security check", "security verification", "browser check", "browser integrity", "captcha", "recaptcha", "sicherheitsüberprüfung", "sicherheitsprüfung", "sicherheitskontrolle", "contrôle de sécurité", "vérification de sécurité", "control de seguridad", "verificación de seguridad", "comprobación de seguridad", "verificação de segurança", "controllo di sicurezza", "verifica di sicurezza", "beveiligingscontrole", "kontrola bezpieczeństwa", "bezpečnostní kontrola", "biztonsági ellenőrzés", "verificare de securitate", "säkerhetskontroll", "sikkerhedskontrol", "sikkerhetskontroll", "turvatarkistus",
		"проверка безопасности", "защита от ботов", "защита от роботов", "капча", "капчу", "перевірка безпеки", "έλεγχος ασφαλείας", "güvenlik kontrolü", "güvenlik doğrulaması", "بررسی امنیتی", "کپچا", "دیوار آتش", "فحص الامان", "التحقق الامني", "كابتشا", "בדיקת אבטחה", "pemeriksaan keamanan", "verifikasi keamanan", "kiểm tra bảo mật", "xác minh bảo mật", "การตรวจสอบความปลอดภัย", "安全检查", "安全檢查", "安全检测", "安全验证", "安全驗證", "防火墙", "防火牆", "验证码", "驗證碼", "セキュリティチェック", "セキュリティ確認", "보안 확인", "보안 검사", "자동입력 방지",
	}},
	{refusal, []string{
		"access denied", "access is denied", "could not be satisfied", "url was rejected", "request rejected", "request was rejected", "web page blocked", "access has been limited", "access to this site has been limited", "access has been blocked", "site owner has blocked", "temporarily blocked", "being rate limited", "access to this page", "attention required", "just a moment", "please wait", "one more step", "security check", "security verification", "request blocked", "been blocked", "request was blocked", "enable javascript", "enable cookies", "javascript is required", "requires javascript", "javascript is disabled", "captcha", "pardon our interruption", "validating your browser", "one moment please", "hold on", "sit tight", "almost there", "one last step", "you are being redirected", "you will be redirected", "please stand by", "nur einen moment", "einen moment", "un instant", "un moment", "un attimo", "um momento", "só um momento", "ogenblik geduld", "een ogenblik", "chwileczkę", "proszę czekać", "moment prosím", "strpení", "egy pillanat", "un moment vă rugăm", "ett ögonblick", "et øjeblik", "et øyeblikk", "hetkinen", "один момент", "минутку", "почти готово", "зачекайте", "μια στιγμή", "bir dakika", "یک لحظه", "لحظة واحدة", "لحظه من فضلك", "רק רגע", "mohon tunggu", "vui lòng đợi", "vui lòng chờ", "โปรดรอ", "กรุณารอ", "正在跳转", "稍等", "请等待", "お待ちください", "잠시만",
		"zugriff verweigert", "bitte warten", "sicherheitsprüfung", "accès refusé", "veuillez patienter", "acceso denegado", "un momento", "acesso negado", "aguarde", "accesso negato", "attendere", "toegang geweigerd", "odmowa dostępu", "доступ запрещен", "доступ запрещён", "доступ к сайту", "доступ ограничен", "что то не так", "подождите", "erişim engellendi", "lütfen bekleyin", "در حال انتقال", "لطفا صبر کنید", "دسترسی شما", "دسترسی غیرمجاز", "جاوااسکریپت را فعال", "جاوا اسکریپت را فعال", "کد امنیتی", "تم رفض الوصول", "يرجى الانتظار", "请稍候", "請稍候", "请求已被拦截", "请求被拦截", "访问被拦截", "请求惹", "太多的请求", "访问被拒绝", "拒绝访问", "访问受限", "アクセスが拒否", "少々お待ち", "접근이 거부",
	}},
	{number, []string{
		"request id", "incident id", "reference id", "support id", "event id", "ray id", "block id", "attack id", "trace id", "traceid", "edgesuite net", "your ip", "ip address", "client ip", "id вашего", "ip адрес", "проблема с ip", "номер запроса", "你的ip", "您的ip", "شناسه درخواست", "ای پی شما", "آی پی شما", "adresse ip", "dirección ip", "endereço ip", "indirizzo ip", "ip adresse", "ip adresiniz", "errcode", "cloudfront", "ip is", "client id", "cloudflare id", "session id", "error id", "trace code", "transaction id", "case number", "rayid", "事件编号", "事件id", "事件 id", "请求id", "客户端ip", "拦截id", "リクエストid", "요청 id", "아이피", "آدرس ip", "رقم الطلب", "عنوان ip",
		"you have been blocked", "you have been banned", "you are blocked", "you re blocked", "you are banned", "you were blocked", "you ve been blocked", "blocked you", "banned you", "has banned", "blocked your", "banned your", "your network", "your computer network", "from your ip", "dich von der website", "sie wurden blockiert", "sie wurden gesperrt", "vous avez été bloqué", "votre réseau", "has sido bloqueado", "ha sido bloqueado", "tu red", "você foi bloqueado", "sua rede", "sei stato bloccato", "tua rete", "u bent geblokkeerd", "je bent geblokkeerd", "zostałeś zablokowany", "byli jste zablokováni", "вы заблокированы", "вы были заблокированы", "вашей сети", "вас заблокировали", "engellendiniz", "شما مسدود", "مسدود شده اید", "شبکه شما", "تم حظرك", "您已被", "您被", "你被", "您的访问", "你的访问", "ブロックされました", "차단되었습니다",
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

// together lists what words mean that stand together.
var together = [...]struct{ one, other, is meaning }{
	{being, prove, challenge}, {gear, checking, challenge}, {entry, refused, refusal},
}

// apart is how many words lie between words that stand together, and one.
const apart = 8

func (m meaning) index() int { return bits.TrailingZeros32(uint32(m)) }

// mean returns what the phrases in a text mean, and how many words it has. The text has a space after each word.
func mean(text []byte) (m meaning, n int) {
	var last [32]int // which word had a meaning last, from 1; 0 for none
	small := 0       // numbers below 1000 one after another: four are an IP address
	for len(text) > 0 {
		end := bytes.IndexByte(text, ' ')
		first := text[:end]
		text = text[end+1:]
		n++
		for _, p := range lexicon[string(first)] {
			if len(p.rest) <= len(text) && string(text[:len(p.rest)]) == p.rest {
				m |= p.meaning
				last[p.meaning.index()] = n
				for _, t := range together {
					if one, other := last[t.one.index()], last[t.other.index()]; max(one, other) == n && min(one, other) > max(n-apart, 0) {
						m |= t.is
					}
				}
			}
		}
		if small++; end > 3 || first[0] < '0' || first[end-1] > '9' {
			small = 0
		} else if small == 4 {
			m |= number
		}
	}
	return m, n
}

// Bounds of a text that claims something, in bytes after lib/words.
const (
	longestClaim = 400 // some sentences
	shortClaim   = 40  // "404 not found"
)

// claims returns what a text says: a title or a part of it, a heading, a sentence, the words on a button. Of a long one it
// tells what it speaks of, and what its beginning says.
func claims(text []byte) (c claim) {
	if len(text) > longestClaim {
		if m, _ := mean(text); m&cookies != 0 {
			c = saysCookies
		}
		text = text[:bytes.LastIndexByte(text[:longestClaim], ' ')+1]
	}
	m, n := mean(text)
	if m == 0 {
		return c
	}
	if m&missing != 0 && m&(thing|code) != 0 {
		c |= saysMissing
	} else if len(text) <= shortClaim && m&missing != 0 {
		c |= saysBare
	} else if len(text) <= shortClaim && m&code != 0 && n <= 3 {
		c |= saysCode
	}
	for _, of := range [...]struct {
		meaning meaning
		claim   claim
	}{{signIn, saysSignIn}, {consent, saysConsent}, {accept, saysAccept}, {cookies, saysCookies}, {sale, saysSale}, {challenge, saysChallenge}, {refusal, saysRefusal}, {guard, saysGuard}, {number, saysNumber}} {
		if m&of.meaning != 0 {
			c |= of.claim
		}
	}
	return c
}

// ear hears what texts say. It may be used for one text after another.
type ear struct{ words []byte }

// hear returns what a text in HTML says. If parts is set, its parts, such as those of a title, are heard each by itself.
func (e *ear) hear(text []byte, parts bool) (c claim) {
	plain := string(text)
	if strings.IndexByte(plain, '<') >= 0 {
		plain = withoutTags(plain)
	}
	if strings.IndexByte(plain, '&') >= 0 {
		plain = html.UnescapeString(plain)
	}
	for plain != "" {
		part := plain
		if i, n := separator(plain); parts && i >= 0 {
			part, plain = plain[:i], plain[i+n:]
		} else {
			plain = ""
		}
		e.words = words.Append(e.words[:0], part)
		c |= claims(e.words)
	}
	return c
}

// named reports whether a URL names a page to sign in.
func (e *ear) named(url string) bool {
	_, path := split(url)
	e.words = words.Append(e.words[:0], path[:min(len(path), longestClaim)])
	m, _ := mean(e.words)
	return m&signIn != 0
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
