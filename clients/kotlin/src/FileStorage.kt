package dev.throughline

import java.io.File
import java.io.FileOutputStream
import java.nio.file.Files
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock

/**
 * One file for each key, written under another name and renamed: a kill leaves the old value or the new one. Two of one
 * directory are equal.
 */
public class FileStorage(private val directory: File) : Storage {
    /** A slow write goes on after the client gave it up; later ones must not mix with it, nor come before it. */
    private val writing = Mutex()

    override suspend fun get(key: String): String? = fileOf(key).takeIf { it.exists() }?.readText()

    override suspend fun set(key: String, value: String): Unit = writing.withLock {
        Files.createDirectories(directory.toPath())
        val written = fileOf("$key.new")
        FileOutputStream(written).use {
            it.write(value.toByteArray())
            it.fd.sync()
        }
        Files.move(written.toPath(), fileOf(key).toPath(), ATOMIC_MOVE, REPLACE_EXISTING)
    }

    override suspend fun remove(key: String): Unit = writing.withLock { Files.deleteIfExists(fileOf(key).toPath()) }

    override fun equals(other: Any?): Boolean = other is FileStorage && path == other.path

    override fun hashCode(): Int = path.hashCode()

    private val path
        get() = directory.absoluteFile.normalize()

    private fun fileOf(key: String) = File(directory, key)
}

internal class MemoryStorage : Storage {
    private val values = java.util.concurrent.ConcurrentHashMap<String, String>()

    override suspend fun get(key: String): String? = values[key]

    override suspend fun set(key: String, value: String) {
        values[key] = value
    }

    override suspend fun remove(key: String) {
        values.remove(key)
    }
}
