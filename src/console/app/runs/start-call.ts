import { toCallParams, type SkillCall } from '../../models/copy-call.ts'
import { callMethod } from '../api.ts'

/** Starts a run of a skill that continues without the page. Returns its id. */
export async function startCall(call: SkillCall): Promise<string> {
  const params = { ...toCallParams(call), detach: true }
  const started = await callMethod('execute_skill', params as never)
  return (started as { run_id: string }).run_id
}
