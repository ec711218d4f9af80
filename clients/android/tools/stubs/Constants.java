package stubs;

/** Reads the value of a constant, which compilers copy into the classes that name it. */
final class Constants {
    private Constants() {}

    /** @param text the value, up to its semicolon or beyond. @return null for a type that has no constants. */
    static Object read(String descriptor, String text) {
        if (text.startsWith("\"")) {
            String quoted = text.substring(1, Texts.afterQuoted(text, 0) - 1);
            return quoted.translateEscapes();
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

    /** Infinities and NaN are divisions by zero. */
    private static double decimal(String text) {
        String value = text.replaceAll("[()fFdD ]", "");
        if (!value.contains("/")) return Double.parseDouble(value);
        String[] parts = value.split("/");
        return Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]);
    }
}
