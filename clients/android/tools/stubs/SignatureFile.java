package stubs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a signature file of AOSP (format 2.0), such as {@code api/current.txt}. */
final class SignatureFile {
    private SignatureFile() {}

    /** @return classes by their dotted names. */
    static Map<String, ApiClass> read(Path file) throws IOException {
        Map<String, ApiClass> classes = new LinkedHashMap<>();
        String packageName = "";
        ApiClass current = null;
        for (String line : Files.readAllLines(file)) {
            String text = Texts.withoutAnnotations(line.strip());
            if (line.startsWith("package ")) packageName = text.substring(8, text.length() - 2).strip();
            else if (line.startsWith("    ")) current.members.add(text);
            else if (line.startsWith("  ") && text.endsWith("{")) {
                current = header(packageName, text.substring(0, text.length() - 1).strip());
                classes.put(current.dottedName(), current);
            }
        }
        return classes;
    }

    private static ApiClass header(String packageName, String text) {
        Texts.Modified modified = Texts.takeModifiers(text);
        String rest = modified.rest();
        int afterKind = rest.indexOf(' ');
        ApiClass.Kind kind =
                switch (rest.substring(0, afterKind)) {
                    case "class" -> ApiClass.Kind.CLASS;
                    case "interface" -> ApiClass.Kind.INTERFACE;
                    case "enum" -> ApiClass.Kind.ENUM;
                    case "@interface" -> ApiClass.Kind.ANNOTATION;
                    default -> throw new IllegalArgumentException("No class: " + text);
                };
        List<String> words = Texts.split(rest.substring(afterKind + 1), ' ');
        String declared = words.get(0);
        int bracket = declared.indexOf('<');
        String name = bracket < 0 ? declared : declared.substring(0, bracket);
        String typeParameters = bracket < 0 ? "" : declared.substring(bracket + 1, declared.length() - 1);
        int implementsAt = words.indexOf("implements");
        int extendsAt = words.indexOf("extends");
        int end = words.size();
        boolean isInterface = kind == ApiClass.Kind.INTERFACE;
        List<String> extended =
                extendsAt < 0 ? List.of() : words.subList(extendsAt + 1, implementsAt < 0 ? end : implementsAt);
        List<String> implemented = implementsAt < 0 ? List.of() : words.subList(implementsAt + 1, end);
        String superclass = isInterface || extended.isEmpty() ? null : extended.get(0);
        return new ApiClass(
                packageName,
                name,
                kind,
                modified.access(),
                typeParameters,
                superclass,
                isInterface && !extended.isEmpty() ? extended : implemented);
    }
}
