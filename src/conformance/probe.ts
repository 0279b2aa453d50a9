import { randomBytes } from 'node:crypto'
import { RequirementUntested } from './assertions.ts'
import type { Reply } from './send-request.ts'

/** A file of the probe, as create_skill takes it. */
interface ProbeFile {
  path: string
  content: string
}

/** Parameters of create_skill. */
export interface ProbeRequest {
  manifest: { name: string; version: string; kind: string } & Record<string, unknown>
  skill_md: string
  files: readonly ProbeFile[]
}

/** The skill that the checks execute. */
export interface ProbeSkill {
  name: string
  version: string
  request: ProbeRequest
  /** The result of create_skill. */
  created: { name?: unknown; version?: unknown }
}

const PROBE_VERSION = '1.0.0'

const CODE = `import hashlib, os, time
from runtime import blobs, log


def echo(value):
    return value


def digests(folder):
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def main(args):
    do = args.get("do")
    if do == "fail":
        raise ValueError("as it was told to")
    if do == "sleep":
        time.sleep(args["seconds"])
    if do == "blob":
        return blobs.read_text(args["blob"])
    if do == "files":
        return digests(args["folder"])
    if do == "log":
        log.info("probe says info")
        print("probe says print")
    return {"given": args}
`

/**
 * Builds a skill that no runtime has: its name and its content are new, so that an earlier check
 * cannot have stored it.
 */
export function buildProbe(): ProbeRequest {
  const token = randomBytes(6).toString('hex')
  const description = 'Checks a runtime; changes nothing.'
  return {
    manifest: {
      name: `conformance.p${token}`,
      version: PROBE_VERSION,
      description,
      kind: 'action',
      runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
    },
    skill_md: `---\nname: p${token}\ndescription: ${description}\nshort_description: Checks a runtime.\n---\n\n# Probe\n\nWritten by "skills conformance". It returns its arguments.\n`,
    files: [
      { path: 'code/main.py', content: CODE },
      { path: 'resources/note.md', content: `# Note\n\n${token}: grün, 三, 🙂\n` },
      { path: 'resources/deep/er/table.csv', content: `a,b\r\n${token},2\r\n` },
      { path: 'resources/empty.txt', content: '' },
    ],
  }
}

/** The files that a runtime must have for a probe, SKILL.md included. */
export function listProbeFiles({ skill_md: content, files }: ProbeRequest): readonly ProbeFile[] {
  return [{ path: 'SKILL.md', content }, ...files]
}

type CallMethod = (method: string, params: object) => Promise<Reply>

/** Creates the skill on first use. */
export function createLazyProbe(call: CallMethod): () => Promise<ProbeSkill> {
  let probe: Promise<ProbeSkill> | undefined
  return async () => await (probe ??= createProbe(call))
}

async function createProbe(call: CallMethod): Promise<ProbeSkill> {
  const request = buildProbe()
  const { json } = await call('create_skill', request)
  const { name, version } = request.manifest
  if (json?.['result']) return { name, version, request, created: json['result'] }
  const { code, message } = (json?.['error'] ?? {}) as { code?: unknown; message?: unknown }
  const reason = code === -32601 ? 'is not offered' : `refuses it (${String(message)})`
  throw new RequirementUntested(`Requires a skill that is safe to run, but create_skill ${reason}`)
}
