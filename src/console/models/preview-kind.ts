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

export function findPreviewKind(type: string): PreviewKind {
  const kind = type.split(';')[0]?.trim().toLowerCase() ?? ''
  if (IMAGES.test(kind)) return 'image'
  if (kind === 'text/csv' || kind === 'text/tab-separated-values') return 'table'
  if (kind === 'application/json' || kind.endsWith('+json')) return 'json'
  if (kind === 'text/markdown') return 'markdown'
  if (kind === 'text/html' || kind === 'application/xhtml+xml') return 'html'
  return kind.startsWith('text/') || kind === 'application/x-ndjson' ? 'text' : 'none'
}
