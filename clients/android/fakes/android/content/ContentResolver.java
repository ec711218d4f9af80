package android.content;

import android.database.Cursor;
import android.net.Uri;
import fakes.FakePhone;

/** A fake for tests. */
public class ContentResolver {
    public final Cursor query(Uri uri, String[] columns, String where, String[] values, String order) {
        return FakePhone.get().meta.query(uri, columns);
    }
}
