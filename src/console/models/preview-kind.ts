/** How bytes of a media type are shown. */
export type PreviewKind = 'image' | 'table' | 'json' | 'markdown' | 'html' | 'text' | 'none'

/** Most bytes that a preview fetches. */
export const PREVIEW_BYTES: Readonly<Record<PreviewKind, number>> = {
  image: 20 * 1024 ** 2,
  table: 2 * 1024 ** 2,
  json: 2 * 1024 ** 2,
  markdown: 512 * 1024,
  html: 2 * 1024 ** 2,
  text: 2 * 1024 ** 2,
  none: 0,
}

const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/

const KINDS: Readonly<Record<string, PreviewKind>> = {
  'text/csv': 'table',
  'text/tab-separated-values': 'table',
  'application/json': 'json',
  'application/x-ndjson': 'text',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
}

export function findPreviewKind(type: string): PreviewKind {
  const kind = type.split(';')[0]?.trim().toLowerCase() ?? ''
  if (IMAGES.test(kind)) return 'image'
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind] as PreviewKind
  if (kind.endsWith('+json')) return 'json'
  return kind.startsWith('text/') ? 'text' : 'none'
}
