package dev.throughline.reactnative

import android.content.Context
import android.database.Cursor
import android.net.Uri

/** What an app of Meta says about the tap on an ad, or the sight of one. */
internal class MetaReferrer(
  val installReferrer: String,
  val isClickThrough: Boolean?,
  val actualTimestampSeconds: Long?,
)

/** Content providers by the packages of Meta's apps, which `AndroidManifest.xml` makes visible. */
private val PROVIDERS =
  mapOf(
    "com.facebook.katana" to "com.facebook.katana.provider.InstallReferrerProvider",
    "com.instagram.android" to "com.instagram.contentprovider.InstallReferrerProvider",
    "com.facebook.lite" to "com.facebook.lite.provider.InstallReferrerProvider",
  )
private const val REFERRER = "install_referrer"
private const val IS_CLICK_THROUGH = "is_ct"
private const val TIMESTAMP = "actual_timestamp"
private const val MAX_CHARACTERS = 8_192

/** The newest of what the apps know, as the Android client chooses it; null if none knows anything. */
internal fun readMetaReferrer(context: Context, facebookAppId: String): MetaReferrer? {
  val nowSeconds = System.currentTimeMillis() / 1_000
  return PROVIDERS.mapNotNull { (owner, authority) -> ask(context, owner, authority, facebookAppId) }
    .filter { isUsable(it.installReferrer) }
    // A time in the future is none.
    .maxByOrNull { it.actualTimestampSeconds?.takeIf { at -> at in 1..nowSeconds } ?: 0 }
}

/** Whether the service takes it. */
private fun isUsable(referrer: String): Boolean =
  referrer.length <= MAX_CHARACTERS && '\u0000' !in referrer && Charsets.UTF_8.newEncoder().canEncode(referrer)

/** Null if the app is not there, or another app has taken the name of its provider. */
private fun ask(context: Context, owner: String, authority: String, facebookAppId: String): MetaReferrer? {
  if (context.packageManager.resolveContentProvider(authority, 0)?.packageName != owner) return null
  val uri = Uri.parse("content://$authority/${Uri.encode(facebookAppId)}")
  return try {
    val columns = arrayOf(REFERRER, IS_CLICK_THROUGH, TIMESTAMP)
    context.contentResolver.query(uri, columns, null, null, null)?.use(::read)
  } catch (_: RuntimeException) {
    // One that fails must not keep the others from answering.
    null
  }
}

private fun read(cursor: Cursor): MetaReferrer? {
  if (!cursor.moveToFirst()) return null
  val referrer = column(cursor, REFERRER)?.let(cursor::getString)
  if (referrer.isNullOrEmpty()) return null
  return MetaReferrer(
    referrer,
    column(cursor, IS_CLICK_THROUGH)?.let { cursor.getInt(it) == 1 },
    column(cursor, TIMESTAMP)?.let(cursor::getLong),
  )
}

/** Null if the cursor has no such column, or no value in it. */
private fun column(cursor: Cursor, name: String): Int? =
  cursor.getColumnIndex(name).takeIf { it >= 0 && !cursor.isNull(it) }
