package dev.throughline.reactnative

import android.content.ContentResolver
import android.database.Cursor
import android.net.Uri

/** What an app of Meta says about the tap on an ad, or the sight of one. */
internal class MetaReferrer(
  val installReferrer: String,
  val isClickThrough: Boolean?,
  val actualTimestampSeconds: Long?,
)

/** Of Facebook, Instagram and Facebook Lite. `AndroidManifest.xml` makes the apps visible. */
private val AUTHORITIES =
  listOf(
    "com.facebook.katana.provider.InstallReferrerProvider",
    "com.instagram.contentprovider.InstallReferrerProvider",
    "com.facebook.lite.provider.InstallReferrerProvider",
  )
private const val REFERRER = "install_referrer"
private const val IS_CLICK_THROUGH = "is_ct"
private const val TIMESTAMP = "actual_timestamp"

/** The newest of what the apps know; null if none knows anything. @param appId of Meta. */
internal fun readMetaReferrer(resolver: ContentResolver, appId: String): MetaReferrer? =
  AUTHORITIES.mapNotNull { query(resolver, it, appId) }.maxByOrNull { it.actualTimestampSeconds ?: 0 }

private fun query(resolver: ContentResolver, authority: String, appId: String): MetaReferrer? =
  try {
    val columns = arrayOf(REFERRER, IS_CLICK_THROUGH, TIMESTAMP)
    resolver.query(Uri.parse("content://$authority/$appId"), columns, null, null, null)?.use(::read)
  } catch (_: SecurityException) {
    // An app that asks for a permission tells nothing.
    null
  }

private fun read(cursor: Cursor): MetaReferrer? {
  if (!cursor.moveToFirst()) return null
  val referrer = column(cursor, REFERRER)?.let(cursor::getString)
  if (referrer.isNullOrEmpty()) return null
  return MetaReferrer(
    referrer,
    column(cursor, IS_CLICK_THROUGH)?.let { cursor.getInt(it) == 1 },
    column(cursor, TIMESTAMP)?.let(cursor::getLong)?.takeIf { it > 0 },
  )
}

/** Null if the cursor has no such column, or no value in it. */
private fun column(cursor: Cursor, name: String): Int? =
  cursor.getColumnIndex(name).takeIf { it >= 0 && !cursor.isNull(it) }
