import com.apicatalog.jsonld.*;
import com.apicatalog.jsonld.document.*;
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.Locale;
import org.apache.jena.graph.*;
import org.apache.jena.riot.*;
import org.apache.jena.riot.lang.LangJSONLD11;
import org.apache.jena.riot.lang.rdfxml.RRX;
import org.apache.jena.riot.system.*;
import org.apache.jena.sparql.core.Quad;
import org.apache.jena.sparql.util.Context;

/**
 * Reads lines of a language and a path from standard input. Prints of each document how many statements Jena reads, past
 * what it calls errors, the sum of their hashes, the processor's nanoseconds of reading without hashing, and its first complaint.
 * Contexts of JSON-LD are files in the folder of the first argument, named as contextFile says; the second argument is
 * the one that stands for schema.org's.
 */
public class Count {
  static long statements, hashes, hash;
  static String complaint;

  static void complain(String text) {
    if (complaint.isEmpty()) complaint = String.valueOf(text).replaceAll("\\s+", " ");
  }

  /** FNV-1a of a term; blank nodes are all alike. */
  static void add(Node n) {
    String text;
    if (n == null || Quad.isDefaultGraph(n)) text = "";
    else if (n.isBlank()) text = "_";
    else if (n.isURI()) text = "<" + n.getURI();
    else {
      String lang = n.getLiteralLanguage().toLowerCase(Locale.ROOT), type = n.getLiteralDatatypeURI();
      if (!lang.isEmpty() || type.equals("http://www.w3.org/2001/XMLSchema#string")) type = "";
      text = "\"" + n.getLiteralLexicalForm() + "\"@" + lang + "^" + type;
    }
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    hash = (hash ^ 0xff) * 0x100000001b3L;
  }

  static void add(Node g, Triple t) {
    statements++;
    hash = 0xcbf29ce484222325L;
    add(t.getSubject());
    add(t.getPredicate());
    add(t.getObject());
    add(g);
    hashes += hash;
  }

  static void parse(byte[] body, Lang lang, Context context, StreamRDF to, ErrorHandler lenient) {
    try {
      RDFParser.create().source(new ByteArrayInputStream(body)).lang(lang).base("http://kavosh.example/").context(context).errorHandler(lenient).parse(to);
    } catch (RuntimeException | StackOverflowError e) {
      String text = e.getMessage() == null ? e.toString() : e.getMessage();
      if (!complaint.startsWith("ends")) {
        complaint = "";
        complain("ends: " + text);
      }
    }
  }

  static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void main(String[] args) throws Exception {
    org.apache.jena.sys.JenaSystem.init();
    RRX.register();
    ErrorHandler lenient = new ErrorHandler() {
      public void warning(String text, long line, long column) { complain(text); }
      public void error(String text, long line, long column) { complain(text); }
      public void fatal(String text, long line, long column) { complaint = ""; complain("ends at line " + line + ": " + text); throw new RiotException(text); }
    };
    StreamRDF sum = new StreamRDFBase() {
      public void triple(Triple t) { add(null, t); }
      public void quad(Quad q) { add(q.getGraph(), q.asTriple()); }
    };
    JsonLdOptions options = new JsonLdOptions((URI url, com.apicatalog.jsonld.loader.DocumentLoaderOptions o) -> {
      Path file = url.getHost() != null && url.getHost().endsWith("schema.org") ? Path.of(args[1]) : Path.of(args[0], url.getHost() + url.getPath());
      if (!Files.isRegularFile(file)) throw new JsonLdError(JsonLdErrorCode.LOADING_REMOTE_CONTEXT_FAILED, "the context " + url + " is not known");
      JsonDocument document = JsonDocument.of(new ByteArrayInputStream(read(file)));
      document.setDocumentUrl(url);
      return document;
    });
    Context context = RIOT.getContext().copy();
    context.set(LangJSONLD11.JSONLD_OPTIONS, options);
    var system = (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] fields = line.split("\t", 2);
      statements = hashes = 0;
      complaint = "";
      Lang lang = switch (fields[0]) {
        case "n-triples" -> Lang.NTRIPLES;
        case "n-quads" -> Lang.NQUADS;
        case "trig" -> Lang.TRIG;
        case "json-ld" -> Lang.JSONLD11;
        case "rdf-xml" -> RRX.RDFXML_ARP1;
        default -> Lang.TURTLE;
      };
      byte[] body = Files.readAllBytes(Path.of(fields[1]));
      long began = system.getProcessCpuTime();
      parse(body, lang, context, new StreamRDFBase(), lenient);
      long took = system.getProcessCpuTime() - began;
      complaint = "";
      parse(body, lang, context, sum, lenient);
      System.out.println(statements + "\t" + Long.toUnsignedString(hashes) + "\t" + took + "\t" + complaint);
    }
  }
}
