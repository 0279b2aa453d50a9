import { SkillsError } from '../../../errors.ts'
import { loadLazily } from '../../../util/load-lazily.ts'
import { stampFiles, type FolderStamp } from '../../../util/stamp-folder.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { LastGood } from './last-good.ts'
import type { SkillEntry } from './repository.ts'

const loadReadSource = loadLazily(async () => await import('../manifest/read-source.ts'))
const loadToManifest = loadLazily(async () => await import('../manifest/to-manifest.ts'))

/** Reads manifests; cached until one of their files changes. */
export function createManifestCache(
  lastGood: LastGood | undefined,
): (entry: SkillEntry) => Promise<Manifest> {
  const cache = new WeakMap<SkillEntry, { stamp: string; manifest: Manifest }>()
  return async (entry) => {
    const stamp = stampManifests(entry)
    const cached = cache.get(entry)
    if (cached && cached.stamp === stamp?.text) return cached.manifest
    const { readSkillFiles } = await loadReadSource()
    const { toManifest } = await loadToManifest()
    const read = toManifest(readSkillFiles(entry.dir))
    const before = read.problems.length > 0 ? lastGood?.source(entry.dir) : undefined
    const manifest = requireValidManifest(entry, before ? toManifest(before) : read)
    if (!before && stamp?.isSettled && stampManifests(entry)?.text === stamp.text) {
      cache.set(entry, { stamp: stamp.text, manifest })
    }
    return manifest
  }
}

/** Undefined if the files cannot be checked; reading them reports the reason. */
function stampManifests({ dir }: SkillEntry): FolderStamp | undefined {
  try {
    return stampFiles([`${dir}/skill.toml`, `${dir}/SKILL.md`])
  } catch {
    return undefined
  }
}

function requireValidManifest(
  entry: SkillEntry,
  read: { manifest: Manifest; problems: readonly { file: string; message: string }[] },
): Manifest {
  const [problem] = read.problems
  if (!problem) return read.manifest
  throw new SkillsError(
    'skill/invalid',
    `Cannot read ${problem.file} of "${entry.name}": ${problem.message}`,
    {
      hint: `Run "skills lint ${entry.dir}"`,
    },
  )
}
