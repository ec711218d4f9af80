package dev.throughline.android

import android.content.Context
import android.content.pm.ApplicationInfo
import android.os.UserManager
import dev.throughline.FileStorage
import dev.throughline.Storage
import java.io.File
import java.io.IOException
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock

private const val FOLDER = "throughline"
private const val INSTALLED_AT = "installed-at"

/** Files that no backup takes. Two of one app are equal. */
internal class AppStorage(private val context: Context) : Storage {
    private val opening = Mutex()

    @Volatile private var opened: FileStorage? = null

    override suspend fun get(key: String): String? = open().get(key)

    override suspend fun set(key: String, value: String): Unit = open().set(key, value)

    override suspend fun remove(key: String): Unit = open().remove(key)

    override fun equals(other: Any?): Boolean = other is AppStorage && context.packageName == other.context.packageName

    override fun hashCode(): Int = context.packageName.hashCode()

    private suspend fun open(): FileStorage = opened ?: opening.withLock { opened ?: openNow().also { opened = it } }

    /** The client tries again after an exception. */
    private suspend fun openNow(): FileStorage {
        if (!context.getSystemService(UserManager::class.java).isUserUnlocked)
            throw IOException("the phone was not unlocked since it started")
        val directory = File(context.noBackupFilesDir, FOLDER)
        val files = FileStorage(directory)
        eraseCopied(directory, files)
        return files
    }

    /**
     * Tools that copy phones may copy the folder to a new one, where the app is another install. The time is stored last: a
     * kill in between erases the rest at the next start.
     */
    private suspend fun eraseCopied(directory: File, files: FileStorage) {
        val installedAt = installedAt() ?: return
        val stored = files.get(INSTALLED_AT)
        if (stored == installedAt) return
        if (stored != null) directory.listFiles()?.filter { it.name != INSTALLED_AT }?.forEach { it.delete() }
        files.set(INSTALLED_AT, installedAt)
    }

    /** @return null for an app of the system image, whose time an update of the system may change. */
    private fun installedAt(): String? {
        val info = context.packageManager.getPackageInfo(context.packageName, 0)
        val isOfSystem = info.applicationInfo.flags and ApplicationInfo.FLAG_SYSTEM != 0
        return if (isOfSystem) null else info.firstInstallTime.toString()
    }
}
