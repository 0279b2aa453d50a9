import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { EvalModel } from './eval-model.ts'

const SCRIPT = 'script:'

/** Opens a model by its name: `provider/model` of the AI SDK, or `script:path`. */
export async function openModel(
  name: string,
  { cwd, skills }: { cwd: string; skills: readonly string[] },
): Promise<EvalModel> {
  if (name.startsWith(SCRIPT)) {
    const { openScriptedModel } = await import('./scripted-model.ts')
    return openScriptedModel(resolve(cwd, name.slice(SCRIPT.length)), name)
  }
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(name) ?? []
  if (provider === undefined || model === undefined) {
    throw new SkillsError('usage/invalid', `"${name}" is not a valid model`, {
      hint: 'Write it as --model anthropic/<model>, or --model script:<file>',
    })
  }
  const { openAiSdkModel } = await import('./ai-sdk-model.ts')
  return await openAiSdkModel({ provider, model, project: cwd, skills })
}
