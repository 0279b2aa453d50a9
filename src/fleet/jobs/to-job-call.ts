import type { ExecuteParams } from '../../core/methods/runtime-execute/definition.ts'
import { checkExecuteParams } from '../../core/programs/check-execute-params.ts'
import type { DetachedKind } from '../../core/runs/detached/detached-run.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'

/** A call by the name of its method. */
interface NamedCall {
  method: string
  params: unknown
}

type JobSkill = Pick<SkillEntry, 'name' | 'version'>

/** Replaces the resolved skills of a detached run by their versions, which every worker finds. */
const CONVERT: Readonly<Record<DetachedKind, (params: never) => NamedCall>> = {
  execute_skill({ entry, ...rest }: { entry: JobSkill }) {
    const { name, version } = entry
    return { method: 'execute_skill', params: { ...rest, name, version } }
  },
  run_code({ entries, ...rest }: { entries: readonly JobSkill[] }) {
    const mounts = entries.map(({ name, version }) => `${name}@${version}`)
    return { method: 'run_code', params: { ...rest, mount_skills: mounts } }
  },
  execute(params: ExecuteParams) {
    checkExecuteParams(params)
    return { method: 'runtime.execute', params }
  },
}

export function toNamedCall(kind: DetachedKind, params: unknown): NamedCall {
  return CONVERT[kind](params as never)
}
