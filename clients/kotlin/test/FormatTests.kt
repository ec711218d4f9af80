package dev.throughline.test

import dev.throughline.Throughline
import java.io.DataInputStream
import java.io.File
import java.util.jar.JarFile
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Of Java 8, which Android reads without a newer build tool. */
private const val JAVA_8 = 52

internal fun Tests.formatTests() {
    test("the client has the class format of Java 8, and calls no method that came later with another result") {
        val jar = JarFile(File(Throughline::class.java.protectionDomain.codeSource.location.toURI()))
        val classes = jar.entries().toList().filter { it.name.endsWith(".class") }
        assertTrue(classes.size > 50, "${classes.size} classes")
        for (entry in classes) {
            val bytes = jar.getInputStream(entry).use { it.readBytes() }
            val header = DataInputStream(bytes.inputStream())
            assertEquals(0xcafebabe.toInt(), header.readInt(), entry.name)
            header.readUnsignedShort()
            assertEquals(JAVA_8, header.readUnsignedShort(), entry.name)
            // Against Java 9 `ByteBuffer.flip()` becomes this, which Android 8 lacks.
            assertTrue("()Ljava/nio/ByteBuffer;" !in String(bytes, Charsets.ISO_8859_1) , entry.name)
        }
    }
}
