const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  toml: 'application/toml',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  py: 'text/x-python',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/typescript',
  sh: 'text/x-shellscript',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  wasm: 'application/wasm',
}

/** MIME type by file extension, else by whether the bytes are text. */
export function detectMimeType(name: string, bytes: Uint8Array): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return TYPES_BY_EXTENSION[ending] ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream')
}

/** Usual extension of a MIME type, with its dot; `.bin` for unknown types. */
export function getExtension(kind: string): string {
  const type = kind.split(';')[0]?.trim()
  const found = Object.entries(TYPES_BY_EXTENSION).find(([, each]) => each === type)?.[0]
  return `.${found ?? 'bin'}`
}

/** True for UTF-8 without NUL. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
