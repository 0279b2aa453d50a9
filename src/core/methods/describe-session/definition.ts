import { z } from 'zod'
import { TOOL_FORMATS } from '../../tool-formats/tool-format-names.ts'
import {
  defineMethod,
  ACCEPTED_PROFILES,
  FORMER_NAMES,
  PROFILE_NAMES,
  type MethodParams,
  type MethodResult,
} from '../define-method.ts'
import { toReadonlySchema } from '../json-object.ts'
import { SESSION_FACTS } from '../list-sessions/definition.ts'

const TEXT = {
  text: z.string(),
  cut_chars: z.int().describe('Characters at the end of the text that are left out here'),
  tokens: z.int(),
}

export const describeSessionMethod = defineMethod({
  name: 'describe_session',
  description:
    "Return what an agent's session has loaded, and what its next request to a model contains: system message, content of tool results, and tool definitions in the form of a vendor. Nothing of the session is changed.",
  params: z.strictObject({
    session: z.string().optional().describe('Name of a session of this caller'),
    id: z
      .string()
      .max(100)
      .optional()
      .describe('Id of a session that list_sessions returned, instead of its name'),
    agent: z.string().max(256).optional().describe('Agent (default: the last one that loaded)'),
    profile: z
      .enum(ACCEPTED_PROFILES)
      .default('agent')
      .describe(`Tools that the agent has${FORMER_NAMES}`),
    format: z.enum(TOOL_FORMATS).default('openai').describe('Format of a vendor'),
  }),
  result: z.object({
    ...SESSION_FACTS,
    agent: z.string(),
    agents: toReadonlySchema(z.array(z.object({ agent: z.string(), loaded: z.int() }))),
    load_mode: z.enum(['turn', 'once', 'session']),
    max_loaded: z.int().nullable(),
    turn: z.string().nullable(),
    skills: toReadonlySchema(
      z.array(
        z.object({
          skill: z.string(),
          selected_docs: toReadonlySchema(z.array(z.string())).exactOptional(),
          include_all_docs: z.boolean().exactOptional(),
        }),
      ),
    ).describe('Loaded skills, the most recently used one last'),
    parts: toReadonlySchema(
      z.array(
        z.object({
          skill: z.string(),
          doc: z.string().nullable().describe('Null is the body of SKILL.md'),
          call: z.string().nullable().describe('Tool call whose result contains it'),
          tokens: z.int(),
        }),
      ),
    ).describe('Loaded texts in their order'),
    files: toReadonlySchema(
      z.array(z.object({ path: z.string(), mime_type: z.string(), size_bytes: z.int() })),
    ).describe('Files that the application added'),
    request: z.object({
      profile: z.enum(PROFILE_NAMES),
      format: z.enum(TOOL_FORMATS),
      encoding: z.string().describe('Vocabulary of all counts'),
      system: toReadonlySchema(
        z.array(z.object({ part: z.enum(['overview', 'guidance', 'loaded']), ...TEXT })),
      ).describe('Parts of the system message'),
      results: toReadonlySchema(z.array(z.object({ call: z.string(), ...TEXT }))).describe(
        'Content at the end of the results of tool calls',
      ),
      tools: z.unknown().describe('Tool definitions as they are sent'),
      tools_tokens: z.int(),
      tokens: z.int().describe('Sum, without the messages of the conversation'),
    }),
  }),
})

export type DescribeSessionParams = MethodParams<typeof describeSessionMethod>
export type DescribeSessionResult = MethodResult<typeof describeSessionMethod>
