//! Conversations as one text, by the template that comes with a model.

use crate::Result;
use minijinja::{Environment, Error, ErrorKind, Value, context, syntax::SyntaxConfig};

/// How a model wants conversations written.
pub struct Chat {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

/// A turn of a conversation.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who speaks: `system`, `user` or `assistant`.
    pub role: &'static str,
    /// What they say.
    pub content: String,
}

impl Chat {
    /// From a template in Jinja, and how the vocabulary writes a text's begin and end.
    ///
    /// # Errors
    /// What is no such template.
    pub fn new(template: String, bos: &str, eos: &str) -> Result<Chat> {
        let mut environment = Environment::new();
        // As transformers sets Jinja up for templates of this kind.
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(refused)?);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |why: String| -> Result<String, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, why))
        });
        environment.add_template_owned("chat", template).map_err(refused)?;
        Ok(Chat { environment, bos: bos.to_owned(), eos: eos.to_owned() })
    }

    /// The conversation up to where the model speaks.
    ///
    /// # Errors
    /// A conversation that the template refuses, or that it takes more for than there is here.
    pub fn write(&self, messages: &[Message]) -> Result<String> {
        let turn = |message: &Message| context! { role => message.role, content => message.content.as_str() };
        let values = context! {
            messages => messages.iter().map(turn).collect::<Vec<Value>>(),
            add_generation_prompt => true,
            bos_token => self.bos.as_str(),
            eos_token => self.eos.as_str(),
        };
        let template = self.environment.get_template("chat").map_err(refused)?;
        Ok(template.render(values).map_err(refused)?)
    }
}

fn refused(error: Error) -> String {
    format!("the model's chat template: {error} (--raw gives a prompt as it is)")
}
