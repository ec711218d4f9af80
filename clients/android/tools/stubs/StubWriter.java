package stubs;

import static org.jetbrains.org.objectweb.asm.Opcodes.*;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jetbrains.org.objectweb.asm.ClassWriter;
import org.jetbrains.org.objectweb.asm.MethodVisitor;

/** Writes the class file of a declared class; its methods throw. */
final class StubWriter {
    private static final String[] NO_EXCEPTIONS = {};

    private final Map<String, ApiClass> classes;
    /** Nested classes by the name of their outermost one. */
    private final Map<String, List<ApiClass>> nested;
    private final Types types;

    StubWriter(Map<String, ApiClass> classes, Map<String, List<ApiClass>> nested) {
        this.classes = classes;
        this.nested = nested;
        this.types = new Types(classes);
    }

    byte[] write(ApiClass declared) {
        Map<String, String> variables = outerVariables(declared);
        Types.Formals formals = types.formals(declared.typeParameters, variables);
        variables.putAll(formals.erased());
        boolean isRoot = declared.dottedName().equals("java.lang.Object");
        Types.Type superclass = types.type(superclassOf(declared), variables);
        List<String> declaredInterfaces =
                declared.kind == ApiClass.Kind.ANNOTATION
                        ? List.of("java.lang.annotation.Annotation")
                        : declared.interfaces;
        List<Types.Type> interfaces = declaredInterfaces.stream().map(it -> types.type(it, variables)).toList();
        StringBuilder signature = new StringBuilder(formals.signature()).append(superclass.signature());
        interfaces.forEach(it -> signature.append(it.signature()));
        ClassWriter writer = new ClassWriter(0);
        writer.visit(
                V1_8,
                accessOf(declared),
                declared.internalName(),
                isRoot ? null : signature.toString(),
                isRoot ? null : superclass.internalName(),
                interfaces.stream().map(Types.Type::internalName).toArray(String[]::new));
        writeNested(writer, declared);
        if (declared.kind == ApiClass.Kind.ENUM) writeEnumMethods(writer, declared);
        for (String member : declared.members) writeMember(writer, declared, member, variables);
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** An inner class sees the type parameters of its outer ones. */
    private Map<String, String> outerVariables(ApiClass declared) {
        Map<String, String> variables = new HashMap<>();
        ApiClass inner = declared;
        while (inner != null && inner.outerName() != null && (inner.access & ACC_STATIC) == 0) {
            inner = classes.get(inner.packageName + "." + inner.outerName());
            if (inner != null) variables.putAll(types.formals(inner.typeParameters, Map.of()).erased());
        }
        return variables;
    }

    private static String superclassOf(ApiClass declared) {
        if (declared.kind == ApiClass.Kind.ENUM) return "java.lang.Enum<" + declared.dottedName() + ">";
        return declared.superclass == null ? "java.lang.Object" : declared.superclass;
    }

    private static int accessOf(ApiClass declared) {
        int access = declared.access & (ACC_PUBLIC | ACC_FINAL | ACC_ABSTRACT);
        // The class file of a protected class is public.
        if ((declared.access & ACC_PROTECTED) != 0) access |= ACC_PUBLIC;
        return access
                | switch (declared.kind) {
                    case CLASS -> ACC_SUPER;
                    case ENUM -> ACC_SUPER | ACC_ENUM;
                    case INTERFACE -> ACC_INTERFACE | ACC_ABSTRACT;
                    case ANNOTATION -> ACC_INTERFACE | ACC_ABSTRACT | ACC_ANNOTATION;
                };
    }

    private void writeNested(ClassWriter writer, ApiClass declared) {
        String outermost = declared.name.split("\\.")[0];
        for (ApiClass other : nested.getOrDefault(declared.packageName + "." + outermost, List.of())) {
            boolean isNear =
                    other == declared
                            || declared.name.startsWith(other.name + ".")
                            || other.name.startsWith(declared.name + ".");
            if (!isNear) continue;
            int access = other.access & ~ACC_TRANSIENT;
            if (other.isInterface()) access |= ACC_INTERFACE | ACC_ABSTRACT | ACC_STATIC;
            if (other.kind == ApiClass.Kind.ENUM) access |= ACC_ENUM | ACC_STATIC;
            writer.visitInnerClass(
                    other.internalName(),
                    other.packageName.replace('.', '/') + "/" + other.outerName().replace('.', '$'),
                    other.name.substring(other.name.lastIndexOf('.') + 1),
                    access);
        }
    }

    private static void writeEnumMethods(ClassWriter writer, ApiClass declared) {
        String self = "L" + declared.internalName() + ";";
        writeMethod(writer, ACC_PUBLIC | ACC_STATIC, "values", "()[" + self, null, NO_EXCEPTIONS);
        writeMethod(writer, ACC_PUBLIC | ACC_STATIC, "valueOf", "(Ljava/lang/String;)" + self, null, NO_EXCEPTIONS);
    }

    private void writeMember(ClassWriter writer, ApiClass owner, String text, Map<String, String> variables) {
        int space = text.indexOf(' ');
        String kind = text.substring(0, space);
        Texts.Modified modified = Texts.takeModifiers(text.substring(space + 1).strip());
        switch (kind) {
            case "field" -> writeField(writer, modified.access(), modified.rest(), variables);
            case "enum_constant" -> writeField(writer, modified.access() | ACC_ENUM, modified.rest(), variables);
            case "ctor", "method" -> writeCallable(writer, owner, kind.equals("ctor"), modified, variables);
            default -> throw new IllegalArgumentException("No member: " + text);
        }
    }

    private void writeField(ClassWriter writer, int access, String text, Map<String, String> variables) {
        int equals = text.indexOf(" = ");
        String declaration = text.substring(0, equals > 0 ? equals : text.indexOf(';'));
        int space = declaration.lastIndexOf(' ');
        Types.Type type = types.type(declaration.substring(0, space), variables);
        Object value = equals > 0 ? Constants.read(type.descriptor(), text.substring(equals + 3)) : null;
        String name = declaration.substring(space + 1);
        writer.visitField(access, name, type.descriptor(), type.signature(), value).visitEnd();
    }

    private void writeCallable(
            ClassWriter writer, ApiClass owner, boolean isConstructor, Texts.Modified modified, Map<String, String> variables) {
        String rest = modified.rest();
        Map<String, String> own = new HashMap<>(variables);
        String formals = "";
        if (rest.startsWith("<")) {
            int close = Texts.closing(rest, 0);
            Types.Formals read = types.formals(rest.substring(1, close), variables);
            own.putAll(read.erased());
            formals = read.signature();
            rest = rest.substring(close + 1).strip();
        }
        int open = rest.indexOf('(');
        int close = rest.indexOf(')', open);
        String head = rest.substring(0, open);
        int space = head.lastIndexOf(' ');
        Types.Type result = isConstructor ? new Types.Type("V", "V") : types.type(head.substring(0, space), own);
        StringBuilder descriptor = new StringBuilder("(");
        StringBuilder signature = new StringBuilder(formals).append('(');
        boolean isInner = isConstructor && owner.outerName() != null && (owner.access & ACC_STATIC) == 0;
        // A constructor of an inner class takes the outer object.
        if (isInner && owner.kind == ApiClass.Kind.CLASS)
            descriptor.append(types.type(owner.packageName + "." + owner.outerName(), Map.of()).descriptor());
        String parameters = rest.substring(open + 1, close);
        for (String parameter : Texts.split(parameters, ',')) {
            Types.Type type = types.type(parameter, own);
            descriptor.append(type.descriptor());
            signature.append(type.signature());
        }
        descriptor.append(')').append(result.descriptor());
        signature.append(')').append(result.signature());
        int access = modified.access() & ~Texts.DEFAULT;
        if (parameters.endsWith("...")) access |= ACC_VARARGS;
        boolean hasBody = (modified.access() & (Texts.DEFAULT | ACC_STATIC)) != 0;
        if (owner.isInterface() && !hasBody) access |= ACC_ABSTRACT;
        String name = isConstructor ? "<init>" : head.substring(space + 1);
        writeMethod(writer, access, name, descriptor.toString(), signature.toString(), thrown(rest, close, own));
    }

    private String[] thrown(String rest, int after, Map<String, String> variables) {
        int at = rest.indexOf(" throws ", after);
        if (at < 0) return NO_EXCEPTIONS;
        String names = rest.substring(at + 8, rest.lastIndexOf(';'));
        return Texts.split(names, ',').stream()
                .map(it -> types.type(it, variables).internalName())
                .toArray(String[]::new);
    }

    private static void writeMethod(
            ClassWriter writer, int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor method = writer.visitMethod(access, name, descriptor, signature, thrown);
        if ((access & ACC_ABSTRACT) == 0) {
            method.visitCode();
            method.visitTypeInsn(NEW, "java/lang/UnsupportedOperationException");
            method.visitInsn(DUP);
            method.visitMethodInsn(INVOKESPECIAL, "java/lang/UnsupportedOperationException", "<init>", "()V", false);
            method.visitInsn(ATHROW);
            // Enough for the parameters of any method.
            method.visitMaxs(2, 64);
        }
        method.visitEnd();
    }
}
