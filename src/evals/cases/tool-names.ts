/** Tools of a conversation of evals. */
export const EVAL_TOOLS = [
  'skill_load',
  'skill_select_docs',
  'skill_list_docs',
  'skill_run',
  'execute_skill',
  'run_code',
  'workspace_exec',
  'workspace_read',
  'workspace_write',
  'workspace_replace',
  'workspace_list',
] as const

/** Names that other agents give to tools of the same purpose. */
const FOREIGN_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Skill', ['skill_load', 'skill_run', 'execute_skill', 'run_code']],
  ['Bash', ['workspace_exec', 'skill_run']],
  ['Read', ['workspace_read', 'skill_select_docs']],
  ['Write', ['workspace_write']],
  ['Edit', ['workspace_replace']],
  ['Glob', ['workspace_list']],
])

/** Tools of this project for a name in an eval; undefined if there are none. */
export function mapToolName(name: string): readonly string[] | undefined {
  if ((EVAL_TOOLS as readonly string[]).includes(name)) return [name]
  return FOREIGN_TOOLS.get(name)
}
