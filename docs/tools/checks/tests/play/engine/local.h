// Its path is what language.sh must object to.
