import { drawQrCode } from '@generated/sdk.gen.ts';
import type { Link as AppLink } from '@generated/types.gen.ts';
import { Link } from '@tanstack/react-router';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { download } from '../../components/download.ts';
import { Section } from '../../components/page.tsx';
import { DARK, QrPicture } from '../../components/qr-picture.tsx';

/** The code as a camera reads it, and its files. */
export function QrCode({ link: { shortCode, sandbox } }: { link: AppLink }) {
  const [color, setColor] = useState(DARK);
  const { app, client } = use(AppContext);
  const save = async (format: 'svg' | 'png') => {
    const { data } = await drawQrCode({
      ...{ client, path: { shortCode }, throwOnError: true, parseAs: 'blob' },
      query: { format, size: 1024, color },
    });
    download(data, `${shortCode}.${format}`);
  };
  return (
    <Section
      title="QR code"
      aside={
        <Link
          to="/$appId/live"
          params={{ appId: app.id }}
          search={{ shortCode, ...(sandbox && { sandbox: 'true' }) }}
          className="meta hover:text-ink"
        >
          Try it with a phone
        </Link>
      }
    >
      <div className="flex flex-wrap items-start gap-4 pt-3">
        <QrPicture shortCode={shortCode} size={136} color={color} />
        <label className="grid gap-1">
          <span className="meta">Colour</span>
          <span className="flex items-center gap-2">
            <input
              type="color"
              value={color}
              className="size-8"
              onChange={({ target }) => setColor(target.value)}
            />
            <code>{color}</code>
          </span>
          <Contrast color={color} />
        </label>
      </div>
      <div className="flex gap-2 pt-3">
        <button type="button" className="btn flex-1" onClick={() => void save('svg')}>
          Download SVG
        </button>
        <button type="button" className="btn" onClick={() => void save('png')}>
          PNG
        </button>
      </div>
    </Section>
  );
}

const READABLE = 4;

/** Scanners need a dark code on the white ground. */
function Contrast({ color }: { color: string }) {
  const ratio = 1.05 / (luminanceOf(color) + 0.05);
  const isEnough = ratio >= READABLE;
  return (
    <span className={`meta max-w-32 ${isEnough ? '' : 'text-bad!'}`}>
      Contrast {Math.round(ratio)} : 1. {isEnough ? 'Every scanner reads it.' : 'Choose a darker one.'}
    </span>
  );
}

/** As WCAG defines it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
