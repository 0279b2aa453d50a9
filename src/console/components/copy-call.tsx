import {
  formatCommandLine,
  formatCurl,
  formatTypescript,
  type SkillCall,
} from '../models/copy-call.ts'
import { CopyButton } from './copy-button.tsx'

/** Copies a call as text for a terminal or a program. The call is read when a button is pressed. */
export function CopyCall({ call }: { call: () => SkillCall }) {
  const url = location.origin
  return (
    <>
      <CopyButton label="Copy as command" text={() => formatCommandLine(call(), url)} />
      <CopyButton label="Copy as curl" text={() => formatCurl(call(), url)} />
      <CopyButton label="Copy as TypeScript" text={() => formatTypescript(call(), url)} />
    </>
  )
}
