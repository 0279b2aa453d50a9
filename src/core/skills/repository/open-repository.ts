import { SkillsError } from '../../../errors.ts'
import { createManifestCache, type SkillAdopter } from './manifest-cache.ts'
import type { LastGood } from './last-good.ts'
import type { Repository, SkillEntry } from './repository.ts'
import { RepositorySnapshots } from './repository-snapshots.ts'
import { RootScanner, type SkillTracking } from './scan-roots.ts'
import { selectVersion } from './select-version.ts'
import { createSkillGuard } from './skill-guard.ts'
import { signSkill } from './skill-signature.ts'

interface RepositoryOptions {
  /** Absolute folders, in order of precedence. */
  roots: readonly string[]
  /** The package's own skills: lowest precedence, but their guide cannot be replaced. */
  builtin: string
  /** Root of uploaded skills, in which drafts and nested skills are not found. */
  uploads?: string
  /** Folder of the index; without it every process reads all skills. */
  cacheDir?: string | undefined
  /** Provides the last valid manifests of skills that an edit broke. */
  lastGood?: LastGood | undefined
  /** Makes commands of the scripts of plain Agent Skills; without it, they are instructions. */
  adopt?: SkillAdopter | undefined
  /** True if queries notice edits on disk by themselves. Default: false. */
  notices?: boolean
  /** Default: `live`. */
  tracking?: SkillTracking
}

/** Opens the skills of several roots as one repository. Nothing is read before the first query. */
export function openRepository(options: RepositoryOptions): Repository {
  const { builtin, cacheDir, lastGood, adopt, uploads, tracking = 'live' } = options
  const roots = [...options.roots, builtin]
  const scanner = new RootScanner({ roots, uploads, cacheDir, tracking })
  const snapshots = new RepositorySnapshots(scanner, {
    builtin,
    lastGood,
    uploads,
    isChecked: options.notices === true,
  })
  const readManifest = createManifestCache({ lastGood, adopt })
  const guard = createSkillGuard(tracking, scanner, snapshots)
  const getSnapshot = () => snapshots.get()
  return {
    list: async () => (await snapshots.getChecked()).entries,
    listed: () => snapshots.ready?.entries,
    problems: async () => (await snapshots.getChecked()).problems,
    resolve: async (name, version) =>
      await selectVersion(await snapshots.getChecked(), name, version),
    versions: async (name) =>
      ((await snapshots.getChecked()).byName.get(name) ?? []).map((each) => each.version),
    manifest: guard.wrap(readManifest),
    mount: guard.createMount(readManifest),
    isTracked: tracking !== 'live',
    signature({ dir }) {
      const known = scanner.signature(dir)
      return known?.isSettled ? known.text : signSkill(dir).text
    },
    read: guard.wrap(async (entry: SkillEntry, path: string) => {
      const { readContainedFile } = await import('./contained-file.ts')
      const { detectMimeType } = await import('../../../util/mime.ts')
      const restored = (await getSnapshot()).restoredDirs.has(entry.dir)
        ? lastGood?.text(entry.dir, path)
        : undefined
      const bytes =
        restored === undefined ? await readContainedFile(entry.dir, path) : Buffer.from(restored)
      return { path, bytes, kind: detectMimeType(path, bytes) }
    }),
    files: guard.wrap(async (entry: SkillEntry) => {
      const { listSourceFiles } = await import('../manifest/read-source.ts')
      const { files } = listSourceFiles(entry.dir)
      return files
        .filter((file) => file.type === 'file')
        .map(({ path, size, mode }) => ({ path, size, isExecutable: (mode & 0o100) !== 0 }))
    }),
    async digest(entry) {
      const { digestFolder } = await import('../content/read-content.ts')
      return digestFolder(entry.dir)
    },
    async refresh() {
      snapshots.forget()
      await snapshots.waitUntilSettled()
    },
    forget: (folders) => snapshots.forget(folders),
  }
}

/** Reads one folder as a skill, for paths on a command line. */
export async function readEntryAt(dir: string): Promise<SkillEntry> {
  const { readEntry } = await import('./read-entry.ts')
  const { entry, problems } = readEntry(dir)
  if (entry) return { ...entry, dir, root: dir }
  const reason = problems[0]?.message ?? 'it has neither skill.toml nor SKILL.md'
  throw new SkillsError('skill/invalid', `Cannot use the folder "${dir}" as a skill: ${reason}`, {
    hint: `Type "skills lint ${dir}" to list all problems`,
  })
}
