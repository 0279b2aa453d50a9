import { readFields, readText, type ReadPartFile } from './message-files.ts'
import type { SessionFile } from './session-file.ts'

/** Images, documents and uploads of the Messages API. */
export const readAnthropicFile: ReadPartFile = (part) => {
  const { type } = part
  if (type === 'container_upload') return { fileId: readText(part['file_id']) }
  if (type !== 'image' && type !== 'document') return undefined
  const source = readFields(part['source'])
  const name = readText(part['title'])
  const mimeType = readText(source['media_type'])
  const data = readText(source['data'])
  switch (source['type']) {
    case 'base64':
      return { name, mimeType, data }
    case 'text':
      return { name: name ?? 'document.txt', mimeType, text: data }
    case 'url':
      return { name, url: readText(source['url']) }
    case 'file':
      return { name, fileId: readText(source['file_id']) }
    case 'content':
      return { name: name ?? 'document.txt', text: readAnthropicText(source['content']) }
    default:
      return undefined
  }
}

/** A document whose content is blocks of text; its images are not part of the file. */
function readAnthropicText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return readText(content)
  const texts = (content as unknown[]).map((block) => readText(readFields(block)['text']))
  return texts.filter((text) => text !== undefined).join('\n\n')
}

/** Images, files and audio of Chat Completions. */
export const readOpenAiChatFile: ReadPartFile = (part) => {
  switch (part['type']) {
    case 'image_url':
      return { url: readText(readFields(part['image_url'])['url']) }
    case 'file': {
      const file = readFields(part['file'])
      return readOpenAiFile({ ...file, file_url: undefined })
    }
    case 'input_audio':
      return readOpenAiAudio(part['input_audio'])
    default:
      return undefined
  }
}

/** Images, files and audio of the Responses API. */
export const readOpenAiResponsesFile: ReadPartFile = (part) => {
  switch (part['type']) {
    case 'input_image': {
      const url = readText(part['image_url'])
      return url === undefined ? { fileId: readText(part['file_id']) } : { url }
    }
    case 'input_file':
      return readOpenAiFile(part)
    case 'input_audio':
      return readOpenAiAudio(part['input_audio'])
    default:
      return undefined
  }
}

/** `file_data` is a data: URL, or base64 alone. */
function readOpenAiFile(file: Readonly<Record<string, unknown>>): SessionFile {
  const name = readText(file['filename'])
  const content = readText(file['file_data'])
  if (content !== undefined) {
    return content.startsWith('data:') ? { name, url: content } : { name, data: content }
  }
  const url = readText(file['file_url'])
  return url === undefined ? { name, fileId: readText(file['file_id']) } : { name, url }
}

function readOpenAiAudio(audio: unknown): SessionFile {
  const { data, format } = readFields(audio)
  const kind = readText(format)
  return {
    data: readText(data),
    ...(kind !== undefined && { name: `audio.${kind}`, mimeType: `audio/${kind}` }),
  }
}

/** Inline data and files of Gemini. */
export const readGeminiFile: ReadPartFile = (part) => {
  const [inline, stored] = [part['inlineData'], part['fileData']]
  const { displayName, mimeType, data, fileUri } = readFields(inline ?? stored)
  const facts = { name: readText(displayName), mimeType: readText(mimeType) }
  if (inline !== undefined) return { ...facts, data: readText(data) }
  if (stored !== undefined) return { ...facts, url: readText(fileUri) }
  return undefined
}

/** Files and images of the AI SDK. */
export const readAiSdkFile: ReadPartFile = (part) => {
  const { type } = part
  if (type !== 'file' && type !== 'image') return undefined
  const name = readText(part['filename'])
  const mimeType = readText(part['mediaType'])
  const content = type === 'file' ? part['data'] : (part['image'] ?? part['data'])
  if (content instanceof URL) return { name, mimeType, url: content.href }
  if (content instanceof ArrayBuffer) return { name, mimeType, data: new Uint8Array(content) }
  if (ArrayBuffer.isView(content)) return { name, mimeType, data: content as Uint8Array }
  const text = readText(content)
  if (text !== undefined && /^(?:https?|data):/i.test(text)) return { name, mimeType, url: text }
  return { name, mimeType, data: text }
}

/** Images, audio and resources of the Model Context Protocol. */
export const readMcpFile: ReadPartFile = (part) => {
  switch (part['type']) {
    case 'image':
    case 'audio':
      return { mimeType: readText(part['mimeType']), data: readText(part['data']) }
    case 'resource': {
      const { uri, mimeType, blob, text } = readFields(part['resource'])
      const facts = { name: readUriName(uri), mimeType: readText(mimeType) }
      return typeof blob === 'string'
        ? { ...facts, data: blob }
        : { ...facts, text: readText(text) }
    }
    case 'resource_link':
      return {
        name: readText(part['name']) ?? readUriName(part['uri']),
        mimeType: readText(part['mimeType']),
        url: readText(part['uri']),
      }
    default:
      return undefined
  }
}

function readUriName(uri: unknown): string | undefined {
  const last = readText(uri)?.split(/[?#]/)[0]?.split('/').at(-1)
  return last === '' ? undefined : last
}
