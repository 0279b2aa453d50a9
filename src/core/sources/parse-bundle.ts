import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUNDLE_EXTENSION, readBundle } from '../signing/envelope/bundle-file.ts'
import type { SignedEnvelope } from '../signing/envelope/dsse.ts'

/** Parses downloaded signatures. */
export function parseDownloadedBundle(bytes: Uint8Array): SignedEnvelope[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'skills-bundle-'))
  try {
    const file = join(folder, `archive${BUNDLE_EXTENSION}`)
    writeFileSync(file, bytes)
    return readBundle(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
