package fakes;

import android.content.pm.ProviderInfo;
import android.database.Cursor;
import android.net.Uri;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Meta's apps with their content providers. */
public final class FakeMeta {
    /** Packages by the names of their providers. */
    public final Map<String, String> owners = new HashMap<>();
    /** Values of `install_referrer`, `is_ct` and `actual_timestamp` by URI; null for a provider that fails. */
    public final Map<String, List<Object>> rows = new HashMap<>();

    /** An app of Meta's with what its provider tells the app of this Facebook number. */
    public void add(String owner, String authority, String facebookAppId, List<Object> row) {
        owners.put(authority, owner);
        rows.put("content://" + authority + "/" + facebookAppId, row);
    }

    public ProviderInfo resolve(String authority) {
        String owner = owners.get(authority);
        if (owner == null) return null;
        ProviderInfo info = new ProviderInfo();
        info.packageName = owner;
        return info;
    }

    public Cursor query(Uri uri, String[] columns) {
        if (!rows.containsKey(uri.toString())) return null;
        List<Object> row = rows.get(uri.toString());
        if (row == null) throw new SecurityException("Permission Denial");
        return new Row(Arrays.asList(columns), row);
    }

    private record Row(List<String> columns, List<Object> values) implements Cursor {
        @Override
        public boolean moveToFirst() {
            return !values.isEmpty();
        }

        @Override
        public int getColumnIndex(String name) {
            return columns.indexOf(name);
        }

        @Override
        public String getString(int column) {
            return (String) values.get(column);
        }

        @Override
        public long getLong(int column) {
            return ((Number) values.get(column)).longValue();
        }

        @Override
        public boolean isNull(int column) {
            return values.get(column) == null;
        }

        @Override
        public void close() {}
    }
}
