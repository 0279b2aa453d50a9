import { defineMethod } from '../define-method.ts'
import { KILL } from '../kill/definition.ts'

export const skillKillSessionMethod = defineMethod({ name: 'skill_kill_session', ...KILL })
