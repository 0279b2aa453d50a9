import type { FormerProfileName, ProfileName } from '../../methods/define-method.ts'
import type { MethodName } from '../../methods/definitions.ts'
import type { OPERATOR_ROWS } from '../../methods/operator-rows.ts'
import type { SKILL_PAGE_ROWS } from '../../methods/skill-page-rows.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { spellValue, type Field } from '../document/field.ts'
import type { Place } from '../document/problems.ts'

/** Profiles of tools for skills. Programs of the host's projects are not a part of a skill. */
type SkillProfile = Exclude<ProfileName, 'programs'>

/** Methods for people and applications, which no profile has. */
type OtherMethod =
  | keyof typeof OPERATOR_ROWS
  | keyof typeof SKILL_PAGE_ROWS
  | 'create_skill'
  | 'skill_context'
  | 'workspace_add_files'
  | 'list_run_history'
  | 'get_run_record'

/** Tools for skills. Lint reads suites too, and loads no method: the compiler compares the names. */
type SkillTool = Exclude<MethodName, `runtime.${string}` | OtherMethod>

const PROFILES: Readonly<Record<SkillProfile | FormerProfileName, true>> = {
  protocol: true,
  knowledge: true,
  agent: true,
  full: true,
  workspace: true,
  knowledge_only: true,
}

const TOOLS: Readonly<Record<SkillTool, true>> = {
  list_skills: true,
  describe_skill: true,
  read_skill_file: true,
  execute_skill: true,
  run_code: true,
  kernel: true,
  runs: true,
  create_blob: true,
  read_blob: true,
  load_skills_protocol_guide: true,
  skill_load: true,
  skill_select_docs: true,
  skill_list_docs: true,
  skill_run: true,
  skill_exec: true,
  skill_write_stdin: true,
  skill_poll_session: true,
  skill_kill_session: true,
  workspace_exec: true,
  write_stdin: true,
  kill: true,
  workspace_save_artifact: true,
  workspace_list_artifacts: true,
  workspace_read: true,
  workspace_write: true,
  workspace_replace: true,
  workspace_list: true,
}

const PROFILE_NAMES = Object.keys(PROFILES)
const TOOL_NAMES = Object.keys(TOOLS)
const DESCRIPTION =
  'Tools that the model is offered: a profile, or a list of names (default: agent)'

/** A profile of tools, or an exact list. */
export const toolsField: Field<string | readonly string[]> = {
  description: DESCRIPTION,
  schema: {
    anyOf: [{ enum: PROFILE_NAMES }, { type: 'array', minItems: 1, items: { enum: TOOL_NAMES } }],
    description: DESCRIPTION,
  },
  read(value, place) {
    if (!Array.isArray(value)) return readToolName(value, place, PROFILE_NAMES)
    if (value.length === 0) return place.refuse('Expected at least one tool, got an empty list')
    const names = value.map((each, at) => readToolName(each, place.at(at), TOOL_NAMES))
    return names.filter((each) => each !== undefined)
  },
}

function readToolName(value: Plain, place: Place, names: readonly string[]): string | undefined {
  if (typeof value === 'string' && names.includes(value)) return value
  const near = typeof value === 'string' ? findNearest(value, names) : undefined
  const help = near === undefined ? `Choose from ${names.join(', ')}` : `Did you mean "${near}"?`
  const expected = names === PROFILE_NAMES ? 'a profile or a list of tools' : 'a tool'
  return place.refuse(`Expected ${expected}, got ${spellValue(value)}`, { help })
}
