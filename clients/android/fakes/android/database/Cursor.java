package android.database;

import java.io.Closeable;

/** A fake for tests. */
public interface Cursor extends Closeable {
    boolean moveToFirst();

    int getColumnIndex(String name);

    String getString(int column);

    long getLong(int column);

    boolean isNull(int column);

    @Override
    void close();
}
