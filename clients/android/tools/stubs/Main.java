package stubs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** {@code Main SIGNATURES JAR}: writes a jar to compile against, whose methods throw. */
final class Main {
    public static void main(String[] arguments) throws IOException {
        Map<String, ApiClass> classes = SignatureFile.read(Path.of(arguments[0]));
        Map<String, List<ApiClass>> nested = new HashMap<>();
        for (ApiClass declared : classes.values())
            if (declared.outerName() != null)
                nested.computeIfAbsent(
                                declared.packageName + "." + declared.name.split("\\.")[0], key -> new ArrayList<>())
                        .add(declared);
        StubWriter writer = new StubWriter(classes, nested);
        int failed = 0;
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(Path.of(arguments[1])))) {
            for (ApiClass declared : classes.values()) {
                byte[] written;
                try {
                    written = writer.write(declared);
                } catch (RuntimeException cause) {
                    failed++;
                    System.err.println(declared.dottedName() + ": " + cause);
                    continue;
                }
                jar.putNextEntry(new ZipEntry(declared.internalName() + ".class"));
                jar.write(written);
            }
        }
        System.out.println("Stubs: " + (classes.size() - failed) + " classes, " + failed + " failed");
        if (failed > 0) System.exit(1);
    }
}
