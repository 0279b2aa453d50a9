import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { splitReference } from '../../core/skills/reference.ts'
import { invalidParamError } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { USE_SKILL_PROMPT } from './prompt-listings.ts'

interface UseSkillArguments {
  skill: string
  inputs?: string | undefined
  document?: string | undefined
}

/** Offers a prompt that adds SKILL.md of one skill, and on request a document and inputs. */
export function addUseSkillPrompt(server: McpServer, { runtime }: ToolCaller): void {
  const { name: prompt, title, description, arguments: args } = USE_SKILL_PROMPT
  const argsSchema = z.object(
    Object.fromEntries(
      args.map(({ name, description: text, required }) => [
        name,
        required ? z.string().describe(text) : z.string().optional().describe(text),
      ]),
    ),
  )
  server.registerPrompt(prompt, { title, description, argsSchema }, async (values) => {
    return await buildPrompt(runtime, values as unknown as UseSkillArguments)
  })
}

async function buildPrompt(
  runtime: ToolCaller['runtime'],
  { skill, inputs, document }: UseSkillArguments,
): Promise<GetPromptResult> {
  const [name, version] = splitReference(skill.trim())
  const read = async (path: string) => {
    const { content, encoding } = await runtime.readSkillFile({ name, version, path })
    if (encoding === undefined) return content
    throw invalidParamError('document', `"${path}" is not text`)
  }
  const texts = [`Use the skill "${skill.trim()}". Its SKILL.md is:\n\n${await read('SKILL.md')}`]
  if (document?.trim()) texts.push(`${document.trim()}:\n\n${await read(document.trim())}`)
  if (inputs?.trim()) texts.push(`Inputs: ${inputs.trim()}`)
  return {
    messages: texts.map((text) => ({ role: 'user', content: { type: 'text', text } })),
  }
}
