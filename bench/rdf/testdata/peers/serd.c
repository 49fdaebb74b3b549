//go:build peers

#include <serd/serd.h>

static SerdStatus count(void* n, SerdStatementFlags flags, const SerdNode* graph, const SerdNode* subject,
                        const SerdNode* predicate, const SerdNode* object, const SerdNode* datatype, const SerdNode* language)
{
  ++*(long*)n;
  return SERD_SUCCESS;
}

// statements reads a file and counts its statements, -1 when that fails. Prefixed names and relative IRIs stay as they are.
long statements(const char* name, int turtle)
{
  long n = 0;
  SerdReader* reader = serd_reader_new(turtle ? SERD_TURTLE : SERD_NTRIPLES, &n, NULL, NULL, NULL, count, NULL);
  serd_reader_set_strict(reader, true);
  SerdStatus status = serd_reader_read_file(reader, (const uint8_t*)name);
  serd_reader_free(reader);
  return status ? -1 : n;
}
