package stubs;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Turns types of signature files into those of class files. */
final class Types {
    private static final Map<String, String> PRIMITIVES =
            Map.of("int", "I", "long", "J", "boolean", "Z", "void", "V", "byte", "B", "char", "C", "short", "S",
                    "float", "F", "double", "D");

    private final Map<String, ApiClass> classes;

    Types(Map<String, ApiClass> classes) {
        this.classes = classes;
    }

    /** @param signature with type arguments. */
    record Type(String descriptor, String signature) {
        String internalName() {
            return descriptor.substring(1, descriptor.length() - 1);
        }
    }

    /** @param signature "" without type parameters. @param erased descriptors by the parameters' names. */
    record Formals(String signature, Map<String, String> erased) {}

    Type type(String text, Map<String, String> variables) {
        if (text.endsWith("[]")) return array(type(text.substring(0, text.length() - 2).strip(), variables));
        if (text.endsWith("...")) return array(type(text.substring(0, text.length() - 3).strip(), variables));
        String primitive = PRIMITIVES.get(text);
        if (primitive != null) return new Type(primitive, primitive);
        String erased = variables.get(text);
        if (erased != null) return new Type(erased, "T" + text + ";");
        int open = text.indexOf('<');
        String name = internalName(open < 0 ? text : text.substring(0, open));
        if (open < 0) return new Type("L" + name + ";", "L" + name + ";");
        int close = Texts.closing(text, open);
        StringBuilder signature = new StringBuilder("L").append(name).append('<');
        for (String argument : Texts.split(text.substring(open + 1, close), ','))
            signature.append(argument(argument, variables));
        signature.append('>');
        // Inner classes of a class with type arguments: Outer<K>.Inner.
        String inner = text.substring(close + 1).replaceAll("<.*>", "");
        String descriptor = "L" + name + inner.replace('.', '$') + ";";
        return new Type(descriptor, signature.append(inner).append(';').toString());
    }

    Formals formals(String text, Map<String, String> outer) {
        Map<String, String> erased = new LinkedHashMap<>();
        if (text.isEmpty()) return new Formals("", erased);
        List<String> parameters = Texts.split(text, ',');
        Map<String, String> all = new HashMap<>(outer);
        for (String parameter : parameters) all.put(nameOf(parameter), "Ljava/lang/Object;");
        // Twice, since a bound may name a later parameter.
        for (int pass = 0; pass < 2; pass++)
            for (String parameter : parameters) {
                String first = boundsOf(parameter)[0];
                erased.put(nameOf(parameter), type(first, all).descriptor());
                all.put(nameOf(parameter), erased.get(nameOf(parameter)));
            }
        StringBuilder signature = new StringBuilder("<");
        for (String parameter : parameters) {
            signature.append(nameOf(parameter));
            for (String bound : boundsOf(parameter))
                signature.append(isInterface(bound) ? "::" : ":").append(type(bound, all).signature());
        }
        return new Formals(signature.append('>').toString(), erased);
    }

    private static Type array(Type element) {
        return new Type("[" + element.descriptor(), "[" + element.signature());
    }

    private String argument(String text, Map<String, String> variables) {
        if (text.equals("?")) return "*";
        if (text.startsWith("? extends ")) return "+" + type(text.substring(10), variables).signature();
        if (text.startsWith("? super ")) return "-" + type(text.substring(8), variables).signature();
        return type(text, variables).signature();
    }

    private static String nameOf(String parameter) {
        return parameter.split(" ")[0];
    }

    private static String[] boundsOf(String parameter) {
        int at = parameter.indexOf(" extends ");
        return at < 0 ? new String[] {"java.lang.Object"} : parameter.substring(at + 9).split(" & ");
    }

    private boolean isInterface(String bound) {
        ApiClass known = find(bound.replaceAll("<.*", ""));
        return known != null && known.isInterface();
    }

    private ApiClass find(String dotted) {
        ApiClass known = classes.get(dotted);
        return known != null ? known : classes.get("java.lang." + dotted);
    }

    /** A name without a package is one of java.lang; a capital begins the name of an unknown class. */
    private String internalName(String dotted) {
        ApiClass known = find(dotted);
        if (known != null) return known.internalName();
        if (!dotted.contains(".")) return "java/lang/" + dotted;
        StringBuilder name = new StringBuilder();
        boolean isInClass = false;
        for (String part : dotted.split("\\.")) {
            if (name.length() > 0) name.append(isInClass ? '$' : '/');
            name.append(part);
            isInClass |= Character.isUpperCase(part.charAt(0));
        }
        return name.toString();
    }
}
