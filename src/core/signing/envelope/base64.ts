/**
 * Decodes base64 of the standard or of the URL-safe alphabet; undefined unless the text is the only
 * encoding of its bytes in that alphabet. Lenient decoders accept many texts for the same bytes.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const encoding = /[-_]/.test(text) ? 'base64url' : 'base64'
  const bytes = Buffer.from(text, encoding)
  const encoded = bytes.toString(encoding)
  if (encoding === 'base64' || !text.includes('=')) return encoded === text ? bytes : undefined
  return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=') === text ? bytes : undefined
}
