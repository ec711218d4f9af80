package dev.throughline.kit

import dev.throughline.Storage
import java.io.IOException
import kotlinx.coroutines.awaitCancellation

/** A storage that fails as the scenario says. Functions that have done all when they return are the usual case here. */
internal class FaultyStorage(private val storage: Storage) : Storage by storage {
    @Volatile private var fault: String? = null

    fun set(fault: String?) {
        require(fault in listOf(null, "hangs", "throws once", "synchronous", "full")) { "There is no fault “$fault”." }
        this.fault = fault
    }

    override suspend fun get(key: String): String? =
        when (fault) {
            "hangs" -> awaitCancellation()
            "throws once" -> {
                fault = null
                throw IOException("busy")
            }
            else -> storage.get(key)
        }

    override suspend fun set(key: String, value: String) = writable().set(key, value)

    override suspend fun remove(key: String) = writable().remove(key)

    private fun writable(): Storage = if (fault == "full") throw IOException("full") else storage
}
