import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { writeFileWhole } from '../../../../util/files/write-file-whole.ts'
import { BUNDLE_EXTENSION } from '../../../signing/envelope/bundle-file.ts'
import type { FetchedRelease, PlannedWrite, PublishCall, SkillRelease } from '../publish-target.ts'

/** Files to attach to a release of a git host. */
export function listReleaseAssets({ archives, bundle }: SkillRelease) {
  return archives.flatMap(({ file, bytes }) => [
    { name: file, bytes },
    ...(bundle ? [{ name: `${file}${BUNDLE_EXTENSION}`, bytes: bundle }] : []),
  ])
}

/** Refuses archives with other content. Signatures are replaced: each has its own time. */
export function planAssets(out: string | undefined, release: SkillRelease): PlannedWrite[] {
  if (out === undefined) return []
  return listReleaseAssets(release).map(({ name, bytes }) => {
    const path = join(out, name)
    const write = { path, size: bytes.length, digest: `sha256:${hash('sha256', bytes)}` }
    if (!existsSync(path)) return { ...write, action: 'create' }
    if (readFileSync(path).equals(bytes)) return { ...write, action: 'keep' }
    if (name.endsWith(BUNDLE_EXTENSION)) return { ...write, action: 'replace' }
    throw new SkillsError('skill/exists', `"${path}" exists with other content`, {
      hint: 'Raise the version of the skill, or choose another folder with --out',
    })
  })
}

export async function writeAssets(
  out: string | undefined,
  release: SkillRelease,
  call: PublishCall,
): Promise<void> {
  if (out === undefined) return
  const plan = planAssets(out, release)
  mkdirSync(out, { recursive: true })
  for (const [at, { bytes }] of listReleaseAssets(release).entries()) {
    const write = plan[at]
    if (!write || write.action === 'keep') continue
    call.signal.throwIfAborted()
    await writeFileWhole(write.path, bytes)
    call.onWritten(write)
  }
}

export function readAssets(
  out: string | undefined,
  { archives, bundle }: SkillRelease,
): Pick<FetchedRelease, 'archives' | 'bundle'> {
  if (out === undefined) return { archives: new Map(), bundle }
  const present = archives.filter(({ file }) => existsSync(join(out, file)))
  const digests = present.map(({ file }) => {
    const digest = `sha256:${hash('sha256', readFileSync(join(out, file)))}`
    return [file, digest] as const
  })
  const [first] = archives
  const signatures = first && join(out, `${first.file}${BUNDLE_EXTENSION}`)
  const found = signatures !== undefined && existsSync(signatures)
  return { archives: new Map(digests), bundle: found ? readFileSync(signatures) : undefined }
}
