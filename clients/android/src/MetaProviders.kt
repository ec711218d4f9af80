package dev.throughline.android

import android.content.ContentResolver
import android.content.Context
import android.database.Cursor
import android.net.Uri
import dev.throughline.MetaReferrer
import dev.throughline.MetaReferrers

private val COLUMNS = arrayOf("install_referrer", "is_ct", "actual_timestamp")

/** Content providers by the packages of Meta's apps. */
private val PROVIDERS =
    mapOf(
        "com.facebook.katana" to "com.facebook.katana.provider.InstallReferrerProvider",
        "com.instagram.android" to "com.instagram.contentprovider.InstallReferrerProvider",
        "com.facebook.lite" to "com.facebook.lite.provider.InstallReferrerProvider",
    )

private const val MAX_CHARACTERS = 8_192

/** What Meta's apps on the phone tell about their ad; of several the newest touch. */
internal class MetaProviders(
    private val context: Context,
    private val facebookAppId: String,
    private val nowMs: () -> Long,
) : MetaReferrers {
    override suspend fun read(): MetaReferrer? {
        val nowSeconds = nowMs() / 1_000
        return PROVIDERS.mapNotNull { (owner, authority) -> ask(owner, authority) }
            .filter { isUsable(it.installReferrer) }
            // A time in the future is none.
            .maxByOrNull { it.actualTimestampSeconds?.takeIf { at -> at in 1..nowSeconds } ?: 0 }
    }

    /** @return null if the app is not there, or another app has taken the name of its provider. */
    private fun ask(owner: String, authority: String): MetaReferrer? {
        if (context.packageManager.resolveContentProvider(authority, 0)?.packageName != owner) return null
        val uri =
            Uri.Builder()
                .scheme(ContentResolver.SCHEME_CONTENT)
                .authority(authority)
                .appendPath(facebookAppId)
                .build()
        return try {
            context.contentResolver.query(uri, COLUMNS, null, null, null)?.use(::referrerOf)
        } catch (_: RuntimeException) {
            // One that fails must not keep the others from answering.
            null
        }
    }
}

/** Whether the service takes it, as the core checks too. */
private fun isUsable(referrer: String): Boolean =
    referrer.length <= MAX_CHARACTERS && '\u0000' !in referrer && Charsets.UTF_8.newEncoder().canEncode(referrer)

private fun referrerOf(rows: Cursor): MetaReferrer? {
    if (!rows.moveToFirst()) return null
    val referrer = rows.textOf("install_referrer")
    if (referrer.isNullOrEmpty()) return null
    return MetaReferrer(
        installReferrer = referrer,
        isClickThrough = rows.numberOf("is_ct")?.let { it == 1L },
        actualTimestampSeconds = rows.numberOf("actual_timestamp"),
    )
}

private fun Cursor.textOf(name: String): String? = columnOf(name)?.let(::getString)

private fun Cursor.numberOf(name: String): Long? = columnOf(name)?.let(::getLong)

/** Null for a column that is missing or empty. */
private fun Cursor.columnOf(name: String): Int? = getColumnIndex(name).takeIf { it >= 0 && !isNull(it) }
