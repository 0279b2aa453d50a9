import { RequirementUntested } from './assertions.ts'
import type { Reply } from './send-request.ts'

/** The skill that the checks execute. */
export interface ProbeSkill {
  name: string
  version: string
  /** True if an earlier check created the skill. */
  existedBefore: boolean
  /** The result of create_skill; empty if the skill already existed. */
  created: { name?: unknown; version?: unknown }
}

export const PROBE_NAME = 'conformance.probe'
const PROBE_VERSION = '1.0.0'
export const PROBE_MARKDOWN = `---
name: probe
description: Checks a runtime; does nothing to anybody.
short_description: Checks a runtime.
---

# Probe

Written by "skills conformance". It answers with what it was given.
`

const CODE = `import os, time
from runtime import blobs, log


def echo(value):
    return value


def main(args):
    do = args.get("do")
    if do == "fail":
        raise ValueError("as it was told to")
    if do == "sleep":
        time.sleep(args["seconds"])
    if do == "blob":
        return blobs.read_text(args["blob"])
    if do == "file":
        with open("/skills/${PROBE_NAME}/SKILL.md", encoding="utf-8") as file:
            return file.read()
    if do == "log":
        log.info("probe says info")
    return {"given": args}
`

/** Parameters of create_skill. */
export const PROBE_SKILL = {
  manifest: {
    name: PROBE_NAME,
    version: PROBE_VERSION,
    description: 'Checks a runtime; does nothing to anybody.',
    kind: 'action',
    runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
  },
  skill_md: PROBE_MARKDOWN,
  files: [{ path: 'code/main.py', content: CODE }],
} as const

type CallMethod = (method: string, params: object) => Promise<Reply>

/** Creates the skill on first use; an existing one is reused. */
export function createLazyProbe(call: CallMethod): () => Promise<ProbeSkill> {
  let probe: Promise<ProbeSkill> | undefined
  return async () => await (probe ??= createProbe(call))
}

async function createProbe(call: CallMethod): Promise<ProbeSkill> {
  const probe = { name: PROBE_NAME, version: PROBE_VERSION }
  const { json } = await call('create_skill', PROBE_SKILL)
  if (json?.['result']) return { ...probe, existedBefore: false, created: json['result'] }
  const read = { ...probe, path: 'code/main.py' }
  const existing = (await call('read_skill_file', read)).json?.['result']
  if ((existing as { content?: unknown } | undefined)?.content === CODE)
    return { ...probe, existedBefore: true, created: {} }
  const { code, message } = (json?.['error'] ?? {}) as { code?: unknown; message?: unknown }
  const reason = code === -32601 ? 'is not offered' : `refuses it (${String(message)})`
  throw new RequirementUntested(`Requires a skill that is safe to run, but create_skill ${reason}`)
}
