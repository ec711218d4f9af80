package android.os;

import java.util.HashMap;
import java.util.Map;

/** A fake for tests. */
public final class Bundle implements Parcelable {
    public static final Parcelable.Creator<Bundle> CREATOR =
            new Parcelable.Creator<Bundle>() {
                @Override
                public Bundle createFromParcel(Parcel parcel) {
                    Bundle read = new Bundle();
                    read.values.putAll((Map<String, Object>) parcel.fakeRead());
                    return read;
                }

                @Override
                public Bundle[] newArray(int size) {
                    return new Bundle[size];
                }
            };

    private final Map<String, Object> values = new HashMap<>();

    public void putString(String key, String value) {
        values.put(key, value);
    }

    public String getString(String key) {
        return (String) values.get(key);
    }

    public void putLong(String key, long value) {
        values.put(key, value);
    }

    public long getLong(String key) {
        return values.get(key) instanceof Long value ? value : 0;
    }

    @Override
    public int describeContents() {
        return 0;
    }

    @Override
    public void writeToParcel(Parcel parcel, int flags) {
        parcel.fakeWrite(new HashMap<>(values));
    }
}
