import { invalidParamError, SkillsError } from '../../../errors.ts'
import { GUIDE_NAME } from '../../skills/manifest/fields.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { checkOwner, claimName, type NameOwner } from '../../skills/uploads/name-owners.ts'
import { versionExistsError } from '../../skills/uploads/upload-error.ts'
import { joinChunks } from '../../../util/slices/join-chunks.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { writeJson } from '../../../util/slices/write-json.ts'
import { decodeContent } from '../decode-content.ts'
import { collectFiles } from './files.ts'
import type { CreateSkillParams, CreateSkillResult } from './definition.ts'

const MAX_VERSION = 128
const MAX_MANIFEST_BYTES = 256 * 1024

/** `create_skill`: stores an uploaded skill, completely or not at all. */
export async function createSkill(
  services: Pick<Services, 'repository' | 'config' | 'uploads'>,
  { manifest, skill_md: markdown, files: uploaded = [] }: CreateSkillParams,
  call: Pick<RunCall, 'caller'> = {},
): Promise<CreateSkillResult> {
  const { checkDraft, serializeManifest } = await import('./check-manifest.ts')
  await checkManifestSize(manifest)
  rejectLoneSurrogates(manifest)
  const text = await runInSlices(decodeContent('skill_md', { content: markdown }))
  const files = await collectFiles(uploaded)
  files.set('skill.toml', Buffer.from(await serializeManifest(manifest)))
  files.set('SKILL.md', await runInSlices(joinChunks(text)))
  const { name, version } = parseIdentity(manifest)
  const caller = call.caller?.name ?? null
  await rejectTakenVersion(services, { name, version, caller })
  requireEntrypoint(manifest, files)
  const { config, repository } = services
  const uploads = await services.uploads()
  await uploads.add({ name, version, files }, async (draft) => {
    await checkDraft(draft, config)
    await claimName(uploads.owners, name, caller)
  })
  await repository.list()
  return { name, version }
}

/** Manifests are linted as a whole. */
async function checkManifestSize(manifest: PlainObject): Promise<void> {
  let size = 0
  await runInSlices(writeJson(manifest, ({ length }) => void (size += length)))
  if (size > MAX_MANIFEST_BYTES) {
    throw invalidParamError('manifest', `expected at most ${MAX_MANIFEST_BYTES} bytes, got ${size}`)
  }
}

/** A lone surrogate has no UTF-8 form: it would be stored as another character. */
function rejectLoneSurrogates(manifest: PlainObject): void {
  // JSON.stringify escapes a lone surrogate; a text that only looks like such an escape has two
  // backslashes.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(manifest)))
    throw invalidParamError('manifest', 'it contains a lone surrogate')
}

/** The name and version become a path, so they are validated before anything is written. */
function parseIdentity({ name, version }: PlainObject): CreateSkillResult {
  const isName = typeof name === 'string' && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)
  if (!isName || name.length > 128) {
    throw invalidParamError('manifest.name', 'expected a name such as "user.tools.greet"')
  }
  if (name === GUIDE_NAME)
    throw invalidParamError('manifest.name', `"${name}" is reserved for the runtime`)
  const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/.test(version)
  if (!isVersion || version.length > MAX_VERSION) {
    throw invalidParamError('manifest.version', 'expected a semantic version such as "0.1.0"')
  }
  return { name, version }
}

/** An uploaded skill must not replace one of the operator or of another caller with a newer version. */
async function rejectTakenVersion(
  services: Pick<Services, 'repository' | 'uploads'>,
  { name, version, caller }: CreateSkillResult & { caller: NameOwner },
): Promise<void> {
  const entries = (await services.repository.list()).filter((each) => each.name === name)
  if (entries.some((each) => each.version === version)) {
    throw versionExistsError({ name, version })
  }
  const uploads = await services.uploads()
  if (entries.every((each) => uploads.has(each.dir))) {
    const hasVersions = entries.length > 0
    return await checkOwner(uploads.owners, name, { caller, hasVersions })
  }
  throw new SkillsError('policy/denied', `'${name}' is a skill of the operator; use another name`, {
    data: { param: 'manifest.name', reason: 'owned by the operator' },
  })
}

/** The entrypoint that the manifest names must be uploaded too. */
function requireEntrypoint(manifest: PlainObject, files: ReadonlyMap<string, Buffer>): void {
  const { runtime } = manifest
  if (typeof runtime !== 'object' || runtime === null || Array.isArray(runtime)) return
  const { entrypoint } = runtime
  if (typeof entrypoint !== 'string' || files.has(entrypoint)) return
  throw invalidParamError('files', `the entrypoint "${entrypoint.slice(0, 200)}" is missing`)
}
