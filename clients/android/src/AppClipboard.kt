package dev.throughline.android

import android.content.ClipboardManager
import android.content.Context
import dev.throughline.Clipboard
import kotlinx.coroutines.delay

private const val FOCUS_POLL_MS = 50L

/** From Android 10 on an app without the focus gets nothing from the clipboard. */
internal class AppClipboard(private val context: Context, private val activities: Activities) : Clipboard {
    /** Waits for the focus: the caller ends it after a while. */
    override suspend fun read(): String? {
        while (!activities.hasFocus) delay(FOCUS_POLL_MS)
        val manager = context.getSystemService(ClipboardManager::class.java)
        // The description first: Android shows that an app read the content only.
        if (manager.primaryClipDescription?.hasMimeType("text/*") != true) return null
        return manager.primaryClip?.takeIf { it.itemCount > 0 }?.getItemAt(0)?.text?.toString()
    }
}
