package stubs;

/** Reads the value of a constant, which compilers copy into the classes that name it. */
final class Constants {
    private Constants() {}

    /** @param text the value, up to its semicolon or beyond. @return null for a type that has no constants. */
    static Object read(String descriptor, String text) {
        if (text.startsWith("\"")) {
            String quoted = text.substring(1, Texts.afterQuoted(text, 0) - 1);
            return unescape(quoted);
        }
        if (text.startsWith("'")) return (int) text.charAt(1);
        String value = text.substring(0, text.indexOf(';'));
        return switch (descriptor) {
            case "I", "B", "S", "C" -> (int) (long) Long.decode(value);
            case "J" -> Long.decode(value.replace("L", ""));
            case "Z" -> value.equals("true") ? 1 : 0;
            case "F" -> (float) decimal(value);
            case "D" -> decimal(value);
            default -> null;
        };
    }

    /** Signature files escape characters by their numbers, which {@code translateEscapes} does not know. */
    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        int i = 0;
        while (i < text.length()) {
            boolean isEscape = text.charAt(i) == '\\';
            boolean isNumber = isEscape && text.charAt(i + 1) == 'u';
            int end = i + (isNumber ? 6 : isEscape ? 2 : 1);
            String part = text.substring(i, end);
            if (isNumber) plain.append((char) Integer.parseInt(part.substring(2), 16));
            else plain.append(part.translateEscapes());
            i = end;
        }
        return plain.toString();
    }

    /** Infinities and NaN are divisions by zero. */
    private static double decimal(String text) {
        String value = text.replaceAll("[()fFdD ]", "");
        if (!value.contains("/")) return Double.parseDouble(value);
        String[] parts = value.split("/");
        return Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]);
    }
}
