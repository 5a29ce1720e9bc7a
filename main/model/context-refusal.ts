// How servers say that a conversation is too long. They have no common code for it, so this is the one place where the lab judges an
// error by its words; each row names who says it, and context-refusal.test.ts holds a whole answer for each.

const WORDINGS: { who: string; says: RegExp }[] = [
  { who: 'OpenAI and those that copy its code', says: /context_length_exceeded/ },
  { who: 'OpenAI responses models', says: /exceeds the context window/ },
  { who: 'OpenAI, vLLM before 0.16, SGLang (requested tokens), DeepSeek, Mistral', says: /maximum context length/ },
  { who: 'vLLM from 0.16, SGLang (input), Together', says: /model's context length/ },
  { who: 'vLLM engine', says: /longer than the maximum model length/ },
  { who: 'vLLM before 0.6: the room left is negative', says: /max_tokens must be at least 1, got -\d+/ },
  { who: 'SGLang scheduler', says: /input length \(\d+ tokens\) exceeds the maximum allowed length/ },
  { who: 'TGI, prompt and answer together', says: /`inputs` tokens \+ `max_new_tokens` must be <=/ },
  { who: 'TGI, prompt alone', says: /`inputs` must have less than \d+ tokens/ },
  { who: 'llama.cpp, by type', says: /exceed_context_size_error/ },
  { who: 'llama.cpp, by message', says: /exceeds the available context size/ },
  { who: 'llama-cpp-python', says: /exceed context window of/ },
  { who: 'Anthropic, prompt alone', says: /prompt is too long/ },
  { who: 'Anthropic, prompt and answer together', says: /input length and `max_tokens` exceed context limit/ },
  { who: 'Bedrock', says: /input is too long for requested model/ },
  { who: 'Gemini', says: /input token count.{0,40}exceeds the maximum number of tokens/ },
  { who: 'xAI', says: /maximum prompt length is \d+/ },
];

/** Statuses that such an answer comes with; 500 is llama.cpp before September 2025, 422 is TGI. 429 is never one: it is about rates. */
const STATUSES = new Set([400, 413, 422, 500]);

/**
 * Whether an error answer says that the conversation is too long.
 * @param status HTTP status, or null for an error object inside a stream.
 * @param body the answer's body, or the error object as JSON.
 */
export function isContextRefusal(status: number | null, body: string): boolean {
  if (status !== null && !STATUSES.has(status)) return false;
  // The words stand at the beginning; a body may go on to repeat the whole conversation, which must not be searched.
  const text = body.slice(0, 2000).toLowerCase();
  return WORDINGS.some(({ says }) => says.test(text));
}
