package stubs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jetbrains.org.objectweb.asm.Opcodes;

/** Cuts lines of a signature file. */
final class Texts {
    private static final Map<String, Integer> ACCESS =
            Map.ofEntries(
                    Map.entry("public", Opcodes.ACC_PUBLIC),
                    Map.entry("protected", Opcodes.ACC_PROTECTED),
                    Map.entry("private", Opcodes.ACC_PRIVATE),
                    Map.entry("static", Opcodes.ACC_STATIC),
                    Map.entry("final", Opcodes.ACC_FINAL),
                    Map.entry("abstract", Opcodes.ACC_ABSTRACT),
                    Map.entry("volatile", Opcodes.ACC_VOLATILE),
                    Map.entry("transient", Opcodes.ACC_TRANSIENT),
                    Map.entry("native", 0),
                    Map.entry("synchronized", 0),
                    Map.entry("strictfp", 0),
                    Map.entry("default", 1 << 30));

    /** A bit that no class file uses, for methods of interfaces that have a body. */
    static final int DEFAULT = 1 << 30;

    private Texts() {}

    record Modified(int access, String rest) {}

    static Modified takeModifiers(String text) {
        int access = 0;
        String rest = text;
        while (true) {
            int space = rest.indexOf(' ');
            Integer bit = space < 0 ? null : ACCESS.get(rest.substring(0, space));
            if (bit == null) return new Modified(access, rest);
            access |= bit;
            rest = rest.substring(space + 1).strip();
        }
    }

    /** Cuts where no angle bracket is open. */
    static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char letter = i == text.length() ? separator : text.charAt(i);
            if (letter == '<') depth++;
            if (letter == '>') depth--;
            if (letter != separator || depth > 0) continue;
            String part = text.substring(start, i).strip();
            if (!part.isEmpty()) parts.add(part);
            start = i + 1;
        }
        return parts;
    }

    /** @return the place of the bracket that closes the one at {@code open}. */
    static int closing(String text, int open) {
        int depth = 0;
        for (int i = open; i < text.length(); i++) {
            if (text.charAt(i) == '<') depth++;
            if (text.charAt(i) == '>' && --depth == 0) return i;
        }
        throw new IllegalArgumentException("No > in " + text);
    }

    static String withoutAnnotations(String text) {
        StringBuilder kept = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\'') {
                int end = afterQuoted(text, i);
                kept.append(text, i, end);
                i = end;
            } else if (letter == '@' && !text.startsWith("@interface ", i)) i = afterAnnotation(text, i + 1);
            else {
                kept.append(letter);
                i++;
            }
        }
        return kept.toString();
    }

    static int afterQuoted(String text, int start) {
        int i = start + 1;
        while (text.charAt(i) != text.charAt(start)) i += text.charAt(i) == '\\' ? 2 : 1;
        return i + 1;
    }

    private static int afterAnnotation(String text, int start) {
        int i = start;
        while (i < text.length() && (Character.isJavaIdentifierPart(text.charAt(i)) || text.charAt(i) == '.')) i++;
        if (i < text.length() && text.charAt(i) == '(') {
            int depth = 0;
            do {
                char letter = text.charAt(i);
                if (letter == '(') depth++;
                if (letter == ')') depth--;
                i = letter == '"' || letter == '\'' ? afterQuoted(text, i) : i + 1;
            } while (depth > 0);
        }
        while (i < text.length() && text.charAt(i) == ' ') i++;
        return i;
    }

}
