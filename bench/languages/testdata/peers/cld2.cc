//go:build peers

#include <cstdio>
#include <cld2/public/compact_lang_det.h>

extern "C" const char* cld2(const char* text, int bytes) {
  bool reliable;
  return CLD2::LanguageCode(CLD2::DetectLanguage(text, bytes, true, &reliable));
}
