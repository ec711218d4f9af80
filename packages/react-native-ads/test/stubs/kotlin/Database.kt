// What the module uses of `android.database`, by Android's documentation.
package android.database

import java.io.Closeable

interface Cursor : Closeable {
  fun moveToFirst(): Boolean

  fun getColumnIndex(columnName: String): Int

  fun isNull(columnIndex: Int): Boolean

  fun getString(columnIndex: Int): String?

  fun getInt(columnIndex: Int): Int

  fun getLong(columnIndex: Int): Long
}
