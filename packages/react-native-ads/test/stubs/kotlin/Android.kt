// What the module uses of `android.content`, by Android's documentation.
package android.content

import android.database.Cursor
import android.net.Uri

abstract class ContentResolver {
  abstract fun query(
    uri: Uri,
    projection: Array<String>?,
    selection: String?,
    selectionArgs: Array<String>?,
    sortOrder: String?,
  ): Cursor?
}

abstract class Context {
  abstract val contentResolver: ContentResolver
}
