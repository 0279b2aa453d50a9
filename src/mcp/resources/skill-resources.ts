import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
} from '@modelcontextprotocol/server'

/** Template of the files of skills. Its variables keep the slashes of their values. */
export const SKILL_FILE_TEMPLATE = 'skill://{+skill}/{+file}'

/** Announces the template of files; the skills extension reads those that exist. */
export function addSkillTemplate(server: McpServer): void {
  server.registerResource(
    'skill-file',
    new ResourceTemplate(SKILL_FILE_TEMPLATE, { list: undefined }),
    {
      title: 'File of a skill',
      description: 'skill is the dotted name as a path, and file is a path inside of the skill',
    },
    ({ href }) => {
      throw new ResourceNotFoundError(href)
    },
  )
}
